import type { StoredEvent } from '../domain/event-record.js';
import { BLOCKED, type BlockedDocument, type Collections, type InboxDocument } from './mongo-collections.js';
import type { MongoList } from './mongo-list.js';
import type { Inbox, Page } from './port.js';

/** Open leaves of one partition: `count` of them, all in `[from, to)`. */
interface Open {
  readonly partition: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/**
 * The violation inboxes. Each partition's blocked leaves are counted on their own, with how far they are counted; an
 * acknowledge notes how far and how many of each. So a count and the page under it speak of the same leaves.
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
    const places = open.map(({ partition, from, to }) => ({ partition, offset: { $gte: from, $lt: to } }));
    const documents = await this.#collections.events
      .find({ accountId, blocked: true, $or: places }, { hint: BLOCKED })
      .sort({ at: -1, offset: -1, partition: -1 })
      .skip(offset)
      .limit(rest)
      .toArray();
    return this.#list.shown(documents);
  }

  /** Acknowledges all leaves that are counted now; `$max`, so that of two at once neither opens what the other has closed. */
  async acknowledge(accountId: string, at: string): Promise<Inbox> {
    const counted = await this.#counted(accountId);
    const through = Object.fromEntries(
      counted.flatMap(({ partition, applied, count }) => [
        [`through.${partition}.offset`, applied],
        [`through.${partition}.count`, count],
      ]),
    );
    await this.#collections.inboxes.updateOne(
      { _id: accountId },
      { $set: { acknowledgedAt: at }, ...(counted.length === 0 ? {} : { $max: through }) },
      { upsert: true },
    );
    return { openCount: 0, acknowledgedAt: at };
  }

  /** The acknowledge first: what is counted afterwards is never less. */
  async #open(accountId: string): Promise<{ readonly inbox: InboxDocument | null; readonly open: readonly Open[] }> {
    const inbox = await this.#collections.inboxes.findOne({ _id: accountId });
    const open = (await this.#counted(accountId)).map(({ partition, applied, count }) => {
      const through = inbox?.through?.[partition] ?? { offset: 0, count: 0 };
      return { partition, from: through.offset, to: applied, count: count - through.count };
    });
    return { inbox, open: open.filter(({ count }) => count > 0) };
  }

  async #counted(accountId: string): Promise<readonly BlockedDocument[]> {
    return this.#collections.blocked.find({ accountId }).toArray();
  }
}

function countOf(open: readonly Open[]): number {
  return open.reduce((sum, { count }) => sum + count, 0);
}
