import { randomUUID } from 'node:crypto';
import { requireKept } from '@countersign/event-log';
import type { NewRecord } from '@countersign/event-log';
import { uuidV7 } from '@countersign/evidence';
import { Conflict, POSITIONS } from '@countersign/document-store';
import type { DocumentStore, Transaction } from '@countersign/document-store';
import type { OutboxRow, RowId } from '@countersign/topics';
import type { Destination } from '../domain/destination.js';
import type { Message } from '../domain/message.js';
import type { Folded, Thread } from '../domain/thread.js';
import { DESTINATIONS, MESSAGES, SEEN_EVENTS, seenId, THREADS } from './documents.js';
import { byThread, REMEMBERED_MS } from './port.js';
import type { AlertStore, Backlog, Claim, DeliveryPage, Fold, NoticedBatch } from './port.js';
import { StreamDocuments } from './stream-documents.js';

/** Maximum number of documents removed in one transaction; the next one removes further ones. */
const AT_ONCE = 500;
const ALL = 2 ** 31 - 1;

/** The store of alerts, as documents. */
export class AlertDocuments implements AlertStore {
  readonly streams: StreamDocuments;

  constructor(private readonly documents: DocumentStore) {
    this.streams = new StreamDocuments(documents);
  }

  /** Releases the claims of a process that has ended. Only for a store that a single process has open. */
  async releaseClaims(): Promise<void> {
    const claimed = await this.documents.find(MESSAGES, { where: { isClaimed: true }, limit: ALL });
    await this.documents.transact((transaction) =>
      transaction.put(
        MESSAGES,
        claimed.map(({ id, version, body }) => ({ id, version: version + 1, body: { ...body, claim: null } })),
      ),
    );
    await this.streams.releaseLeases();
  }

  async addDestination(destination: Destination, events: readonly NewRecord[] = []): Promise<void> {
    const { id, revision: version } = destination;
    await this.documents.transact(async (transaction) => {
      await transaction.restore(DESTINATIONS, [{ id, version, body: destination }]);
      await transaction.publish(events);
    });
  }

  async replaceDestination(destination: Destination, events: readonly NewRecord[] = []): Promise<boolean> {
    const { id, revision: version } = destination;
    try {
      await this.documents.transact(async (transaction) => {
        await transaction.put(DESTINATIONS, [{ id, version, body: destination }]);
        await transaction.publish(events);
      });
      return true;
    } catch (error) {
      if (error instanceof Conflict) return false;
      throw error;
    }
  }

  async removeDestination(accountId: string, id: string, events: readonly NewRecord[] = []): Promise<boolean> {
    if ((await this.destinationOf(accountId, id)) === null) return false;
    // A month of messages is more than one transaction may hold: most of them first, in parts.
    await this.#removeAll((transaction) => transaction.removeWhere(MESSAGES, { destinationId: id }, AT_ONCE));
    await this.#removeAll((transaction) => transaction.removeWhere(THREADS, { destinationId: id }, AT_ONCE));
    return this.documents.transact(async (transaction) => {
      const stored = await transaction.get(DESTINATIONS, id);
      if (stored?.body.accountId !== accountId) return false;
      await transaction.remove(DESTINATIONS, [stored]);
      await transaction.removeWhere(THREADS, { destinationId: id }, ALL);
      await transaction.removeWhere(MESSAGES, { destinationId: id }, ALL);
      await transaction.publish(events);
      return true;
    });
  }

  async *allDestinations(): AsyncIterable<Destination> {
    for await (const { body } of this.documents.all(DESTINATIONS)) yield body;
  }

  async destination(id: string): Promise<Destination | null> {
    return (await this.documents.get(DESTINATIONS, id))?.body ?? null;
  }

  async destinationOf(accountId: string, id: string): Promise<Destination | null> {
    const destination = await this.destination(id);
    return destination?.accountId === accountId ? destination : null;
  }

  async destinations(accountId: string): Promise<readonly Destination[]> {
    const query = { where: { accountId }, by: 'createdAt', limit: ALL } as const;
    return (await this.documents.find(DESTINATIONS, query)).map(({ body }) => body);
  }

  async enabledDestinations(accountIds: readonly string[]): Promise<readonly Destination[]> {
    const where = { accountId: { oneOf: accountIds }, enabled: true };
    return (await this.documents.find(DESTINATIONS, { where, limit: ALL })).map(({ body }) => body);
  }

  async position(partition: number): Promise<number | null> {
    return (await this.documents.get(POSITIONS, String(partition)))?.body.next ?? null;
  }

  async follow({ partition, next, logTimeMs, notices, ...batch }: NoticedBatch, fold: Fold): Promise<void> {
    await this.documents.transact(async (transaction) => {
      const saved = (await transaction.get(POSITIONS, String(partition)))?.body.next ?? null;
      requireKept(saved, batch);
      const from = saved ?? 0;
      if (next <= from) return;
      const above = notices.filter(({ violation }) => violation.offset >= from);
      // An event has a notice for each destination, and one offset.
      const offsets = new Map<string, number>();
      for (const { violation } of above) {
        if (!offsets.has(violation.eventId)) offsets.set(violation.eventId, violation.offset);
      }
      const seen = [...offsets.keys()].map((eventId) => ({ id: seenId(partition, eventId), body: {} }));
      const added = await transaction.add(SEEN_EVENTS, seen);
      const once = above.filter(({ violation: { eventId, offset } }) => {
        return added.has(seenId(partition, eventId)) && offsets.get(eventId) === offset;
      });
      const threads = byThread(once, from);
      const stored = await transaction.getMany(THREADS, [...threads.keys()]);
      await this.#put(
        transaction,
        [...threads].map(([key, own]) => fold(stored.get(key)?.body ?? null, own)),
      );
      const oldest = uuidV7(Math.max(0, logTimeMs - REMEMBERED_MS), new Uint8Array(10));
      await transaction.removeWhere(SEEN_EVENTS, { partition, eventId: { below: oldest } }, AT_ONCE);
      await transaction.set(POSITIONS, [{ id: String(partition), body: { next } }]);
    });
  }

  async closeSums(nowMs: number, limit: number, close: (thread: Thread) => Folded): Promise<number> {
    return this.documents.transact(async (transaction) => {
      const where = { sumDueMs: { from: 0, below: nowMs + 1 } };
      const due = await transaction.find(THREADS, { where, by: 'sumDueMs', limit });
      await this.#put(
        transaction,
        due.map(({ body }) => close(body)),
      );
      return due.length;
    });
  }

  async addMessages(messages: readonly Message[]): Promise<void> {
    await this.documents.transact((transaction) => add(transaction, messages));
  }

  async claim(nowMs: number, untilMs: number, except: readonly string[]): Promise<Claim | null> {
    const where = { dueAtMs: { from: 0, below: nowMs + 1 }, destinationId: { noneOf: except } };
    // Uses an index that skips busy destinations without reading their messages.
    const query = { where, by: ['dueAtMs', 'destinationId'], limit: 1 } as const;
    // Usually nothing is due: that needs no transaction.
    if ((await this.documents.find(MESSAGES, query)).length === 0) return null;
    return this.documents.transact(async (transaction) => {
      const [stored] = await transaction.find(MESSAGES, query);
      if (stored === undefined) return null;
      const { id, version, body } = stored;
      const token = randomUUID();
      const claimed = { message: body.message, claim: { token, untilMs } };
      await transaction.put(MESSAGES, [{ id, version: version + 1, body: claimed }]);
      return { message: body.message, token };
    });
  }

  async settle(token: string, message: Message): Promise<boolean> {
    return this.documents.transact(async (transaction) => {
      const stored = await transaction.get(MESSAGES, message.id);
      if (stored?.body.claim?.token !== token) return false;
      const { id, version } = stored;
      await transaction.put(MESSAGES, [{ id, version: version + 1, body: { message, claim: null } }]);
      return true;
    });
  }

  async changeMessage(
    destinationId: string,
    id: string,
    change: (message: Message) => Message,
    events: readonly NewRecord[] = [],
  ): Promise<Message | 'claimed' | null> {
    return this.documents.transact(async (transaction) => {
      const stored = await transaction.get(MESSAGES, id);
      if (stored?.body.message.destinationId !== destinationId) return null;
      const { version, body } = stored;
      if (body.claim !== null) return 'claimed';
      const message = change(body.message);
      await transaction.put(MESSAGES, [{ id, version: version + 1, body: { message, claim: null } }]);
      await transaction.publish(events);
      return message;
    });
  }

  async deliveries(destinationId: string, limit: number, offset: number): Promise<DeliveryPage> {
    const query = { where: { destinationId }, by: 'createdAtMs', descending: true, limit, offset } as const;
    const [page, total] = await Promise.all([
      this.documents.find(MESSAGES, query),
      this.documents.count(MESSAGES, { destinationId }),
    ]);
    return { messages: page.map(({ body }) => body.message), total };
  }

  async backlog(): Promise<Backlog> {
    const where = { dueAtMs: { from: 0 } };
    const [waiting, [oldest]] = await Promise.all([
      this.documents.count(MESSAGES, where),
      this.documents.find(MESSAGES, { where, by: 'dueAtMs', limit: 1 }),
    ]);
    if (oldest === undefined) return { waiting: 0, oldestDueMs: null };
    const { message, claim } = oldest.body;
    return { waiting, oldestDueMs: claim === null ? message.dueAtMs : claim.untilMs };
  }

  async forget(threadsBeforeMs: number, messagesBeforeMs: number): Promise<void> {
    const threads = { sumDueMs: null, windowEndsMs: { below: threadsBeforeMs } };
    await this.#removeAll((transaction) => transaction.removeWhere(THREADS, threads, AT_ONCE));
    const messages = { dueAtMs: null, createdAtMs: { below: messagesBeforeMs } };
    await this.#removeAll((transaction) => transaction.removeWhere(MESSAGES, messages, AT_ONCE));
  }

  enqueue(events: readonly NewRecord[]): Promise<void> {
    return this.documents.transact((transaction) => transaction.publish(events));
  }

  pending(limit: number): Promise<readonly OutboxRow[]> {
    return this.documents.pending(limit);
  }

  sent(ids: readonly RowId[]): Promise<void> {
    return this.documents.sent(ids);
  }

  async close(): Promise<void> {
    await this.documents.close();
  }

  async #removeAll(remove: (transaction: Transaction) => Promise<number>): Promise<void> {
    while ((await this.documents.transact(remove)) === AT_ONCE);
  }

  async #put(transaction: Transaction, folded: readonly Folded[]): Promise<void> {
    await transaction.set(
      THREADS,
      folded.map(({ thread }) => ({ id: thread.key, body: thread })),
    );
    await add(
      transaction,
      folded.flatMap(({ messages }) => messages),
    );
  }
}

async function add(transaction: Transaction, messages: readonly Message[]): Promise<void> {
  await transaction.add(
    MESSAGES,
    messages.map((message) => ({ id: message.id, body: { message, claim: null } })),
  );
}
