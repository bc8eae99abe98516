import { Conflict } from '@countersign/document-store';
import type { Collection, DocumentStore, Transaction } from '@countersign/document-store';
import type { NewRecord } from '@countersign/event-log';
import type { Stream } from '../streams/stream.js';
import type { LeasedStream, StreamCursor, StreamState, StreamStore } from '../streams/stream-store.js';

type StreamKeys = { accountId: string; createdAt: string; enabled: boolean };

/** Version: the stream's revision. */
export const STREAMS: Collection<Stream, StreamKeys> = {
  name: 'streams',
  keysOf: ({ accountId, createdAt, enabled }) => ({ accountId, createdAt, enabled }),
  keys: { accountId: 'text', createdAt: 'text', enabled: 'boolean' },
  keysVersion: 1,
  indexes: [['accountId', 'createdAt'], ['enabled']],
};

/** By the id of the stream; there is one for each. */
export const STREAM_STATES: Collection<StreamState, { accountId: string }> = {
  name: 'stream_states',
  keysOf: ({ accountId }) => ({ accountId }),
  keys: { accountId: 'text' },
  keysVersion: 1,
  indexes: [['accountId']],
};

/** `<stream>/<agent>` */
export const STREAM_CURSORS: Collection<StreamCursor, { streamId: string }> = {
  name: 'stream_cursors',
  keysOf: ({ streamId }) => ({ streamId }),
  keys: { streamId: 'text' },
  keysVersion: 1,
  indexes: [['streamId']],
};

export function cursorId({ streamId, agentId }: Pick<StreamCursor, 'streamId' | 'agentId'>): string {
  return `${streamId}/${agentId}`;
}

const AT_ONCE = 500;
const ALL = 2 ** 31 - 1;

/** {@link StreamStore} as documents. */
export class StreamDocuments implements StreamStore {
  constructor(private readonly documents: DocumentStore) {}

  /** Ends the leases of a process that has ended. Only for a store that a single process has open. */
  async releaseLeases(): Promise<void> {
    const states = await this.documents.find(STREAM_STATES, { limit: ALL });
    const leased = states.filter(({ body }) => body.lease !== null);
    await this.documents.transact((transaction) =>
      transaction.put(
        STREAM_STATES,
        leased.map(({ id, version, body }) => ({ id, version: version + 1, body: { ...body, lease: null } })),
      ),
    );
  }

  async add(stream: Stream, most: number, events: readonly NewRecord[] = []): Promise<boolean> {
    const { id, accountId, revision: version } = stream;
    const state: StreamState = { streamId: id, accountId, ...NOTHING_YET };
    return this.documents.transact(async (transaction) => {
      if ((await transaction.count(STREAMS, { accountId })) >= most) return false;
      await transaction.restore(STREAMS, [{ id, version, body: stream }]);
      await transaction.put(STREAM_STATES, [{ id, version: 1, body: state }]);
      await transaction.publish(events);
      return true;
    });
  }

  async replace(stream: Stream, events: readonly NewRecord[] = []): Promise<boolean> {
    const { id, revision: version } = stream;
    const replaced = await this.#unlessConflict(async (transaction) => {
      await transaction.put(STREAMS, [{ id, version, body: stream }]);
      await transaction.publish(events);
      return true;
    });
    return replaced ?? false;
  }

  async remove(accountId: string, id: string, events: readonly NewRecord[] = []): Promise<boolean> {
    const isRemoved = await this.documents.transact(async (transaction) => {
      const stored = await transaction.get(STREAMS, id);
      if (stored?.body.accountId !== accountId) return false;
      await transaction.remove(STREAMS, [stored]);
      // Without its state nothing of it is saved any more.
      const state = await transaction.get(STREAM_STATES, id);
      if (state !== null) await transaction.remove(STREAM_STATES, [state]);
      await transaction.publish(events);
      return true;
    });
    if (isRemoved) await this.#removeCursors(id);
    return isRemoved;
  }

  enqueue(events: readonly NewRecord[]): Promise<void> {
    return this.documents.transact((transaction) => transaction.publish(events));
  }

  async find(accountId: string, id: string): Promise<Stream | null> {
    const stream = (await this.documents.get(STREAMS, id))?.body ?? null;
    return stream?.accountId === accountId ? stream : null;
  }

  async list(accountId: string): Promise<readonly Stream[]> {
    const query = { where: { accountId }, by: 'createdAt', limit: ALL } as const;
    return (await this.documents.find(STREAMS, query)).map(({ body }) => body);
  }

  async *all(): AsyncIterable<Stream> {
    for await (const { body } of this.documents.all(STREAMS)) yield body;
  }

  async enabled(): Promise<readonly Stream[]> {
    return (await this.documents.find(STREAMS, { where: { enabled: true }, limit: ALL })).map(({ body }) => body);
  }

  async states(streamIds: readonly string[]): Promise<ReadonlyMap<string, StreamState>> {
    const found = await this.documents.getMany(STREAM_STATES, streamIds);
    return new Map([...found].map(([id, { body }]) => [id, body]));
  }

  async lease(streamId: string, owner: string, nowMs: number, untilMs: number): Promise<LeasedStream | null> {
    const leased = await this.#unlessConflict(async (transaction) => {
      const stored = await transaction.get(STREAM_STATES, streamId);
      if (stored === null) return null;
      const { lease } = stored.body;
      if (lease !== null && lease.owner !== owner && lease.untilMs > nowMs) return null;
      const version = stored.version + 1;
      const state = { ...stored.body, lease: { owner, untilMs } };
      await transaction.put(STREAM_STATES, [{ id: streamId, version, body: state }]);
      return { version, state };
    });
    if (leased === null) return null;
    const cursors = await this.documents.find(STREAM_CURSORS, { where: { streamId }, limit: ALL });
    return { ...leased, cursors: cursors.map(({ body }) => body) };
  }

  async save(version: number, state: StreamState, cursors: readonly StreamCursor[]): Promise<number | null> {
    const next = version + 1;
    return this.#unlessConflict(async (transaction) => {
      await transaction.put(STREAM_STATES, [{ id: state.streamId, version: next, body: state }]);
      await transaction.set(
        STREAM_CURSORS,
        cursors.map((cursor) => ({ id: cursorId(cursor), body: cursor })),
      );
      return next;
    });
  }

  async #removeCursors(streamId: string): Promise<void> {
    const remove = (transaction: Transaction): Promise<number> =>
      transaction.removeWhere(STREAM_CURSORS, { streamId }, AT_ONCE);
    while ((await this.documents.transact(remove)) === AT_ONCE);
  }

  async #unlessConflict<T>(work: (transaction: Transaction) => Promise<T>): Promise<T | null> {
    try {
      return await this.documents.transact(work);
    } catch (error) {
      if (error instanceof Conflict) return null;
      throw error;
    }
  }
}

const NOTHING_YET = {
  lease: null,
  failures: 0,
  pendingSinceMs: null,
  pending: 0,
  lastDeliveredAt: null,
  lastError: null,
} as const;
