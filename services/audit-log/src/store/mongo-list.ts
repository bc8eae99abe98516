import type { mongo } from 'mongoose';
import type { ArchivedEvent, LeafEvent, Openings } from '@countersign/contracts';
import { countedHours, EARLIEST, LATEST, wholeHours, type TimeRange, type WholeHours } from '../domain/count-times.js';
import { onlyBlocked } from '../domain/event-class.js';
import { isByPerson, type EventFilter } from '../domain/event-filter.js';
import type { StoredEvent } from '../domain/event-record.js';
import { runsBetween } from '../domain/arrival-place.js';
import { placePage, type CountedTime } from '../domain/place-page.js';
import type { MongoAnchors } from './mongo-anchors.js';
import type { MongoClasses } from './mongo-classes.js';
import {
  BLOCKED,
  BY_ACCOUNT,
  BY_AGENT,
  BY_PLACE,
  BY_TRACE,
  uuid,
  uuidText,
  type Collections,
  type EventDocument,
} from './mongo-collections.js';
import { archivedEvent, shownEvent } from './mongo-leaf.js';
import { accountScope, agentScope } from './mongo-range-delta.js';
import {
  ARRIVALS_LENGTH,
  PAGE_LENGTH,
  SCANNED,
  type Arrivals,
  type ArrivalPlace,
  type Page,
  type Cursor,
  type KeysetPage,
} from './port.js';

/** Arrivals that are read at a time. */
const ARRIVALS_AT_ONCE = 16;
const DAY = 24;
/** Pages from this offset on are sought by the hour: fewer events to skip, more counts to read. */
const DEEP = 200;

interface Range extends TimeRange {
  readonly accountId: string;
  /** `null`: all agents of the account. */
  readonly agentId: string | null;
  readonly classes: readonly string[] | null;
  /** Trace id; `null`: any, or none. */
  readonly trace: string | null;
}

/** Reads pages and counts. */
export class MongoList {
  readonly #collections: Collections;
  readonly #classes: MongoClasses;
  readonly #anchors: MongoAnchors;

  constructor(collections: Collections, classes: MongoClasses, anchors: MongoAnchors) {
    this.#collections = collections;
    this.#classes = classes;
    this.#anchors = anchors;
  }

  async list(accountId: string, filter: EventFilter, page: Page): Promise<{ events: StoredEvent[]; total: number }> {
    const range = await this.#range(accountId, filter);
    if (range === null) return { events: [], total: 0 };
    const hoursEach = page.offset < DEEP ? DAY : 1;
    const { total, fromMs, toMs, limit, offset } = placePage(await this.#times(range, hoursEach), page);
    if (limit === 0) return { events: [], total };
    const near = { ...range, fromMs: Math.max(fromMs, range.fromMs), toMs: Math.min(toMs, range.toMs) };
    const documents = await this.#collections.events
      .find(where(near), { hint: indexOf(range) })
      .sort(orderOf(range))
      .skip(offset)
      .limit(limit)
      .toArray();
    return { events: await this.shown(documents), total };
  }

  /** Places are `[at, offset, partition]`, of one agent `[at, sequence]`. */
  async pageAfter(accountId: string, filter: EventFilter, after: Cursor | null, limit: number): Promise<KeysetPage> {
    const range = await this.#range(accountId, filter);
    if (range === null) return { events: [], next: null };
    const toMs = after === null ? range.toMs : Math.min(range.toMs, after[0]! + 1);
    const { rule, by } = filter;
    const read = rule === undefined && by === undefined ? limit : SCANNED;
    const blocked = inBlockedIndex(range, filter);
    const cursor = this.#collections.events
      .find(
        { ...where({ ...range, toMs }), ...behind(range, after), ...(blocked ? { blocked } : {}) },
        { hint: blocked ? BLOCKED : indexOf(range) },
      )
      .sort(orderOf(range))
      .limit(read);
    const documents: EventDocument[] = [];
    let length = 0;
    let scanned = 0;
    let last: EventDocument | null = null;
    for await (const document of cursor) {
      scanned += 1;
      last = document;
      if (!isHit(document, filter)) continue;
      documents.push(document);
      length += document.leaf.length + (document.openings?.length ?? 0);
      if (length >= PAGE_LENGTH || documents.length === limit) break;
    }
    const more = length >= PAGE_LENGTH || documents.length === limit || scanned === read;
    return { events: await this.shown(documents), next: last === null || !more ? null : placeOf(range, last) };
  }

  /** Documents in the order of the log, by the index of places. */
  async arrivals(
    accountId: string,
    filter: EventFilter,
    { after, to }: { readonly after: ArrivalPlace; readonly to: ArrivalPlace },
    limit: number,
  ): Promise<Arrivals> {
    const range = await this.#range(accountId, filter);
    if (range === null) return { events: [], count: 0 };
    const { agentId, classes } = range;
    const found = await Promise.all(
      runsBetween(after, to).map(async ({ partition, from, to: end }) => {
        const among = {
          partition,
          offset: { $gte: from, $lt: end },
          accountId,
          ...(agentId === null ? {} : { agentId: uuid(agentId) }),
          ...(classes === null ? {} : { class: { $in: [...classes] } }),
          ...(filter.rule === undefined ? {} : { rule: filter.rule }),
        };
        const { events } = this.#collections;
        const newest: EventDocument[] = [];
        let length = 0;
        const hint = BY_PLACE;
        for await (const document of events
          .find(among, { hint, batchSize: ARRIVALS_AT_ONCE })
          .sort({ offset: -1 })
          .limit(limit)) {
          length += document.leaf.length + (document.openings?.length ?? 0);
          if (length > ARRIVALS_LENGTH && newest.length > 0) break;
          newest.push(document);
        }
        const isAll = newest.length < limit && length <= ARRIVALS_LENGTH;
        const count = isAll ? newest.length : await events.countDocuments(among, { hint: BY_PLACE });
        return { newest, count };
      }),
    );
    // Partitions have no order among them: the times of the events are the nearest to one.
    const newest = found
      .flatMap((one) => one.newest)
      .sort((a, b) => a.at - b.at || a.offset - b.offset)
      .slice(-limit);
    return { events: await this.shown(newest), count: found.reduce((sum, { count }) => sum + count, 0) };
  }

  async find(accountId: string, eventId: string): Promise<StoredEvent | null> {
    const document = await this.#collections.events.findOne({ _id: uuid(eventId), accountId });
    return document === null ? null : (await this.shown([document]))[0]!;
  }

  async findArchived(accountId: string, eventId: string): Promise<ArchivedEvent | null> {
    const document = await this.#collections.events.findOne({ _id: uuid(eventId), accountId });
    return document === null ? null : archivedEvent(document);
  }

  async shown(documents: readonly EventDocument[]): Promise<StoredEvent[]> {
    const anchored = await this.#anchors.anchored(documents);
    return documents.map((document, n) => shownEvent(document, anchored[n]!));
  }

  async range(agentId: string, first: number, last: number, limit: number): Promise<readonly ArchivedEvent[]> {
    const documents = await this.#collections.events
      .find({ agentId: uuid(agentId), sequence: { $gte: first, $lte: last } })
      .sort({ sequence: 1 })
      .limit(limit)
      .toArray();
    return documents.map(archivedEvent);
  }

  async eventIds(agentId: string, first: number, last: number): Promise<readonly string[]> {
    const ids = await this.#collections.events
      .find({ agentId: uuid(agentId), sequence: { $gte: first, $lte: last } })
      .project<Pick<EventDocument, '_id'>>({ _id: 1 })
      .sort({ sequence: 1 })
      .toArray();
    return ids.map(({ _id }) => uuidText(_id));
  }

  async span(agentId: string, fromMs: number, toMs: number): Promise<{ first: number; last: number } | null> {
    const [found] = await this.#collections.events
      .aggregate<{ first: number; last: number }>(
        [
          { $match: { agentId: uuid(agentId), at: { $gte: fromMs, $lt: toMs } } },
          { $group: { _id: null, first: { $min: '$sequence' }, last: { $max: '$sequence' } } },
        ],
        { hint: BY_AGENT },
      )
      .toArray();
    return found === undefined ? null : { first: found.first, last: found.last };
  }

  async newestChecks(agentId: string, count: number): Promise<{ firstMs: number; lastMs: number } | null> {
    const classes = await this.#classes.matching({ type: 'action.checked' });
    const times = await this.#collections.events
      .find(
        { agentId: uuid(agentId), class: { $in: [...classes!] } },
        { hint: BY_AGENT, projection: { _id: 0, at: 1 } },
      )
      .sort({ at: -1, sequence: -1 })
      .limit(count)
      .toArray();
    const [last, first] = [times[0], times.at(-1)];
    return last === undefined || first === undefined ? null : { firstMs: first.at, lastMs: last.at };
  }

  async referring(eventIds: readonly string[]): Promise<readonly ArchivedEvent[]> {
    const documents = await this.#collections.events
      .find({ refersTo: { $in: eventIds.map(uuid) } })
      .sort({ offset: 1, partition: 1 })
      .toArray();
    const place = new Map(eventIds.map((eventId, n) => [eventId, n]));
    return documents
      .map((document) => ({ document, n: place.get(uuidText(document.refersTo!))! }))
      .sort((a, b) => a.n - b.n)
      .map(({ document }) => archivedEvent(document));
  }

  async leaves(eventIds: readonly string[]): Promise<readonly LeafEvent[]> {
    const documents = await this.#collections.events
      .find({ _id: { $in: eventIds.map(uuid) } })
      .project<Pick<EventDocument, '_id' | 'leaf'>>({ leaf: 1 })
      .toArray();
    const byId = new Map(documents.map(({ _id, leaf }) => [uuidText(_id), leaf]));
    return eventIds.flatMap((eventId) => {
      const leaf = byId.get(eventId);
      return leaf === undefined ? [] : [JSON.parse(leaf) as LeafEvent];
    });
  }

  async #range(accountId: string, filter: EventFilter): Promise<Range | null> {
    const { agentId = null, trace = null } = filter;
    const fromMs = Math.max(filter.fromMs ?? EARLIEST, EARLIEST);
    const toMs = Math.min(filter.toMs ?? LATEST, LATEST);
    if (fromMs >= toMs) return null;
    const [classes, owned] = await Promise.all([
      this.#classes.matching(filter),
      agentId === null ? true : this.#collections.heads.findOne({ _id: uuid(agentId), accountId }).then(Boolean),
    ]);
    return owned && classes?.length !== 0 ? { accountId, agentId, classes, trace, fromMs, toMs } : null;
  }

  /** Whole hours from their counts, the two broken ones from the index; newest first. */
  async #times(range: Range, hoursEach: number): Promise<readonly CountedTime[]> {
    const { whole, broken } = wholeHours(range);
    const [hours, counted] = await Promise.all([
      this.#hours(range, whole, hoursEach),
      Promise.all(broken.map(async (part) => ({ ...part, count: await this.#count({ ...range, ...part }) }))),
    ]);
    return countedHours(hours, whole, counted, hoursEach);
  }

  async #hours(
    { accountId, agentId, classes }: Range,
    { first, end }: WholeHours,
    hoursEach: number,
  ): Promise<{ hour: number; count: number }[]> {
    if (first >= end) return [];
    const scope = agentId === null ? accountScope(accountId) : agentScope(agentId);
    const count = classes === null ? '$total' : { $add: classes.map((name) => ({ $ifNull: [`$counts.${name}`, 0] })) };
    return this.#collections.hours
      .aggregate<{ hour: number; count: number }>([
        { $match: { scope, hour: { $gte: first, $lt: end } } },
        { $group: { _id: { $subtract: ['$hour', { $mod: ['$hour', hoursEach] }] }, count: { $sum: count } } },
        { $project: { _id: 0, hour: '$_id', count: 1 } },
      ])
      .toArray();
  }

  #count(range: Range): Promise<number> {
    return this.#collections.events.countDocuments(where(range), { hint: indexOf(range) });
  }
}

/** Reports whether an event has the members of a filter that no class has. */
function isHit({ leaf: text, openings }: EventDocument, { rule, by }: EventFilter): boolean {
  if (rule === undefined && by === undefined) return true;
  const leaf = JSON.parse(text) as LeafEvent;
  if (rule !== undefined && leaf.rule !== rule) return false;
  return by === undefined || isByPerson(leaf, openings === undefined ? {} : (JSON.parse(openings) as Openings), by);
}

/** `true` where the index of blocked leaves, of all agents of an account, has every event of the list. */
function inBlockedIndex({ agentId, trace }: Range, filter: EventFilter): boolean {
  return agentId === null && trace === null && onlyBlocked(filter);
}

/** Events of one agent are in the order of their sequences, those of a trace in that of the account. */
function bySequence({ agentId, trace }: Range): boolean {
  return agentId !== null && trace === null;
}

function indexOf(range: Range): string {
  if (range.trace !== null) return BY_TRACE;
  return bySequence(range) ? BY_AGENT : BY_ACCOUNT;
}

function orderOf(range: Range): mongo.Sort {
  return !bySequence(range) ? { at: -1, offset: -1, partition: -1 } : { at: -1, sequence: -1 };
}

function placeOf(range: Range, { at, offset, partition, sequence }: EventDocument): Cursor {
  return bySequence(range) ? [at, sequence] : [at, offset, partition];
}

/** Of what lies at the time of the place, only what stands behind it. */
function behind(range: Range, after: Cursor | null): mongo.Filter<EventDocument> {
  if (after === null) return {};
  const [at, second, partition] = after as readonly [number, number, number];
  const earlier = { at: { $lt: at } };
  if (bySequence(range)) return { $or: [earlier, { sequence: { $lt: second } }] };
  return { $or: [earlier, { offset: { $lt: second } }, { offset: second, partition: { $lt: partition } }] };
}

function where({ accountId, agentId, classes, trace, fromMs, toMs }: Range): mongo.Filter<EventDocument> {
  return {
    ...(agentId !== null && trace === null ? {} : { accountId }),
    ...(agentId === null ? {} : { agentId: uuid(agentId) }),
    ...(trace === null ? {} : { trace }),
    at: { $gte: fromMs, $lt: toMs },
    ...(classes === null ? {} : { class: { $in: [...classes] } }),
  };
}
