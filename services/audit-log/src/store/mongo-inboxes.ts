import type { mongo } from 'mongoose';
import type { LeafEvent } from '@countersign/contracts';
import type { StoredEvent } from '../domain/event-record.js';
import { openAlert } from '../domain/open-alert.js';
import {
  BLOCKED,
  DENIED_BY_PEOPLE,
  type BlockedDocument,
  type Collections,
  type EventDocument,
  type InboxDocument,
} from './mongo-collections.js';
import type { MongoList } from './mongo-list.js';
import type { Inbox, InboxPlace, OpenAlert, Page } from './port.js';

/** Open leaves of one partition: `count` of them, all in `[from, to)`. */
interface Open {
  readonly partition: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

type Counted = Pick<BlockedDocument, 'partition' | 'applied' | 'count'>;

/**
 * The violation inboxes. Each partition's blocked leaves are counted on their own, with how far they are counted; an
 * acknowledge notes how far and how many of each. So a count and the page under it speak of the same leaves. The stored
 * counts include denials by people, which are few: they are subtracted when an inbox is read.
 */
export class MongoInboxes {
  readonly #collections: Collections;
  readonly #list: MongoList;

  constructor(collections: Collections, list: MongoList) {
    this.#collections = collections;
    this.#list = list;
  }

  async inbox(accountId: string): Promise<Inbox> {
    const { inbox, open } = await this.#open(accountId);
    return { openCount: countOf(open), acknowledgedAt: inbox?.acknowledgedAt ?? null };
  }

  async open(accountId: string, { limit, offset }: Page): Promise<readonly StoredEvent[]> {
    const { open } = await this.#open(accountId);
    // The exact rest, so that the search ends at the last match instead of at the oldest blocked leaf.
    const rest = Math.min(limit, countOf(open) - offset);
    if (rest <= 0) return [];
    const documents = await this.#collections.events
      .find(openOf(accountId, open), { hint: BLOCKED })
      .sort({ at: -1, offset: -1, partition: -1 })
      .skip(offset)
      .limit(rest)
      .toArray();
    return this.#list.shown(documents);
  }

  /** A place has partition and offset of each partition in which the account has blocked leaves, one after the other. */
  async openLeaves(
    accountId: string,
    limit: number,
  ): Promise<Inbox & { readonly alerts: readonly OpenAlert[]; readonly place: InboxPlace }> {
    const { inbox, open, counted } = await this.#open(accountId);
    const openCount = countOf(open);
    const place = counted.flatMap(({ partition, applied }) => [partition, applied]);
    const acknowledgedAt = inbox?.acknowledgedAt ?? null;
    const rest = Math.min(limit, openCount);
    if (rest === 0) return { openCount, acknowledgedAt, place, alerts: [] };
    const documents = await this.#collections.events
      .find(openOf(accountId, open), { hint: BLOCKED, projection: { leaf: 1 } })
      .sort({ at: -1, offset: -1, partition: -1 })
      .limit(rest)
      .toArray();
    const alerts = documents.map(({ leaf }) => openAlert(JSON.parse(leaf) as LeafEvent));
    return { openCount, acknowledgedAt, place, alerts };
  }

  async closable(
    accountId: string,
    place?: InboxPlace,
  ): Promise<{ readonly count: number; readonly place: InboxPlace }> {
    const inbox = await this.#collections.inboxes.findOne({ _id: accountId });
    const counted = await this.#counted(accountId);
    const closed = place === undefined ? counted : await this.#below(accountId, inbox, counted, place);
    const counts = await Promise.all(
      closed.map(async ({ partition, applied, count }) => {
        const through = inbox?.through?.[partition] ?? { offset: 0, count: 0 };
        const open = { partition, from: through.offset, to: applied, count: count - through.count };
        return open.count <= 0 ? 0 : open.count - (await this.#deniedByPeople(accountId, open));
      }),
    );
    return {
      count: counts.reduce((sum, count) => sum + count, 0),
      place: closed.flatMap(({ partition, applied }) => [partition, applied]),
    };
  }

  /**
   * Acknowledges all leaves that are counted now, or those below a place; `$max`, so that of two at once neither opens what
   * the other has closed.
   */
  async acknowledge(accountId: string, at: string, place?: InboxPlace): Promise<Inbox> {
    const inbox = await this.#collections.inboxes.findOne({ _id: accountId });
    const counted = await this.#counted(accountId);
    const closed = place === undefined ? counted : await this.#below(accountId, inbox, counted, place);
    const through = Object.fromEntries(
      closed.flatMap(({ partition, applied, count }) => [
        [`through.${partition}.offset`, applied],
        [`through.${partition}.count`, count],
      ]),
    );
    await this.#collections.inboxes.updateOne(
      { _id: accountId },
      { $set: { acknowledgedAt: at }, ...(closed.length === 0 ? {} : { $max: through }) },
      { upsert: true },
    );
    return place === undefined ? { openCount: 0, acknowledgedAt: at } : this.inbox(accountId);
  }

  /** Blocked leaves below a place, by partition; partitions that the place does not name are left out. */
  async #below(
    accountId: string,
    inbox: InboxDocument | null,
    counted: readonly BlockedDocument[],
    place: InboxPlace,
  ): Promise<readonly Counted[]> {
    const ends = new Map<number, number>();
    for (let at = 0; at + 1 < place.length; at += 2) ends.set(place[at]!, place[at + 1]!);
    const named = counted.filter(({ partition }) => ends.has(partition));
    return Promise.all(
      named.map(async ({ partition, applied, count }) => {
        const through = inbox?.through?.[partition] ?? { offset: 0, count: 0 };
        const end = Math.max(through.offset, Math.min(applied, ends.get(partition)!));
        if (end === applied) return { partition, applied, count };
        const added = await this.#collections.events.countDocuments(
          { accountId, blocked: true, partition, offset: { $gte: through.offset, $lt: end } },
          { hint: BLOCKED },
        );
        return { partition, applied: end, count: through.count + added };
      }),
    );
  }

  /** The acknowledge first: what is counted afterwards is never less. */
  async #open(accountId: string): Promise<{
    readonly inbox: InboxDocument | null;
    readonly open: readonly Open[];
    readonly counted: readonly BlockedDocument[];
  }> {
    const inbox = await this.#collections.inboxes.findOne({ _id: accountId });
    const counted = await this.#counted(accountId);
    const blocked = counted.map(({ partition, applied, count }) => {
      const through = inbox?.through?.[partition] ?? { offset: 0, count: 0 };
      return { partition, from: through.offset, to: applied, count: count - through.count };
    });
    const open = await Promise.all(
      blocked
        .filter(({ count }) => count > 0)
        .map(async (one) => ({ ...one, count: one.count - (await this.#deniedByPeople(accountId, one)) })),
    );
    return { inbox, open: open.filter(({ count }) => count > 0), counted };
  }

  #deniedByPeople(accountId: string, { partition, from, to }: Open): Promise<number> {
    return this.#collections.events.countDocuments(
      { accountId, blocked: true, refersTo: { $exists: true }, partition, offset: { $gte: from, $lt: to } },
      { hint: DENIED_BY_PEOPLE },
    );
  }

  async #counted(accountId: string): Promise<readonly BlockedDocument[]> {
    return this.#collections.blocked.find({ accountId }).toArray();
  }
}

function openOf(accountId: string, open: readonly Open[]): mongo.Filter<EventDocument> {
  const places = open.map(({ partition, from, to }) => ({ partition, offset: { $gte: from, $lt: to } }));
  return { accountId, blocked: true, refersTo: { $exists: false }, $or: places };
}

function countOf(open: readonly Open[]): number {
  return open.reduce((sum, { count }) => sum + count, 0);
}
