import { createConnection, type mongo } from 'mongoose';
import { TOPICS, type TopicName } from '@countersign/contracts';
import { readingOptions, suffixInUse } from '@countersign/document-store';
import type { Problem } from '@countersign/document-store';
import type { EventClass } from '../domain/event-class.js';
import type {
  AgentRun,
  ArchiveInspection,
  ArchiveRange,
  BlockedCount,
  EventOutline,
  HourCount,
  InspectedAgent,
  InspectedEvent,
} from './inspection.js';
import {
  collectionsOf,
  uuid,
  uuidText,
  type ClassDocument,
  type Collections,
  type EventDocument,
  type PositionDocument,
} from './mongo-collections.js';
import type { AnchoredWindow } from './port.js';

type OutlineDocument = Omit<EventDocument, 'leaf' | 'facts'>;

/** {@link ArchiveInspection} of a database. @throws when no server answers */
export async function openMongoInspection(uri: string): Promise<ArchiveInspection> {
  const connection = await createConnection(uri, readingOptions(uri)).asPromise();
  try {
    const collections = collectionsOf(connection.db!, await suffixInUse(connection.db!, 'audit-log'));
    const positions = await collections.positions.find().toArray();
    const classes = await collections.classes.find().toArray();
    return new MongoInspection(collections, positions, classes, () => connection.close());
  } catch (error) {
    await connection.close();
    throw error;
  }
}

class MongoInspection implements ArchiveInspection {
  readonly #classes: Map<string, EventClass>;

  constructor(
    private readonly collections: Collections,
    private readonly stored: readonly PositionDocument[],
    classes: readonly ClassDocument[],
    readonly close: () => Promise<void>,
  ) {
    this.#classes = new Map(classes.map(({ _id, ...kind }) => [_id, kind]));
  }

  async positions(topic: TopicName): Promise<ReadonlyMap<number, number>> {
    return new Map(this.stored.filter((one) => one.topic === topic).map(({ partition, next }) => [partition, next]));
  }

  async *events(range?: ArchiveRange): AsyncGenerator<InspectedEvent> {
    const among =
      range === undefined ? {} : { partition: range.partition, offset: { $gte: range.from, $lt: range.to } };
    for await (const event of this.collections.events.find(among).sort(BY_PLACE)) yield await this.#event(event);
  }

  async *outlines(): AsyncGenerator<EventOutline> {
    const found = this.collections.events.find().project<OutlineDocument>(OUTLINE).sort(BY_PLACE);
    for await (const event of found) yield await this.#outline(event);
  }

  async *orders(): AsyncGenerator<EventOutline> {
    const found = this.collections.events.find({ refersTo: { $exists: true }, class: ORDERS });
    for await (const event of found.project<OutlineDocument>(OUTLINE)) yield await this.#outline(event);
  }

  async find(eventIds: readonly string[]): Promise<ReadonlyMap<string, InspectedEvent>> {
    const events = await this.collections.events.find({ _id: { $in: eventIds.map(uuid) } }).toArray();
    const found = new Map<string, InspectedEvent>();
    for (const event of events) found.set(uuidText(event._id), await this.#event(event));
    return found;
  }

  async uncounted(): Promise<number> {
    const positions = await this.positions('agent-events');
    const counts = Array.from({ length: TOPICS['agent-events'].partitions }, (_, partition) =>
      this.collections.events.countDocuments({ partition, offset: { $gte: positions.get(partition) ?? 0 } }),
    );
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  async *agents(): AsyncGenerator<InspectedAgent> {
    for await (const { _id, accountId, sequence, checks } of this.collections.heads.find()) {
      yield { agentId: uuidText(_id), accountId, lastSequence: sequence, checks };
    }
  }

  async *hourCounts(): AsyncGenerator<HourCount> {
    for await (const { scope, hour, counts } of this.collections.hours.find()) {
      const of = scope.startsWith('agent:') ? 'agent' : 'account';
      const id = scope.slice(of.length + 1);
      for (const [name, count] of Object.entries(counts)) {
        yield { of, id, hour, class: await this.#class(name), count };
      }
    }
  }

  async *blockedCounts(): AsyncGenerator<BlockedCount> {
    let sum = null as BlockedCount | null;
    for await (const { accountId, count } of this.collections.blocked.find().sort({ accountId: 1 })) {
      if (sum !== null && sum.accountId !== accountId) yield sum;
      sum = { accountId, count: count + (sum?.accountId === accountId ? sum.count : 0), after: null };
    }
    if (sum !== null) yield sum;
  }

  async *windowIds(): AsyncGenerator<string> {
    for await (const { _id } of this.collections.windows.find().project<{ _id: string }>({ _id: 1 })) yield _id;
  }

  async windows(ids: readonly string[]): Promise<ReadonlyMap<string, Omit<AnchoredWindow, 'agents'>>> {
    const found = await this.collections.windows.find({ _id: { $in: [...ids] } }).toArray();
    return new Map(found.map(({ _id, ...facts }) => [_id, { windowId: _id, ...facts }]));
  }

  async agentWindows(runs: readonly AgentRun[]): ReturnType<ArchiveInspection['agentWindows']> {
    const ids = runs.map(({ agentId, firstSequence }) => `${agentId}/${firstSequence}`);
    const found = await this.collections.agentWindows.find({ _id: { $in: ids } }).toArray();
    const byId = new Map(found.map((one) => [one._id, one]));
    return ids.map((id, n) => {
      const one = byId.get(id);
      const isItself = one?.first === runs[n]!.firstSequence && uuidText(one.agentId) === runs[n]!.agentId;
      return isItself ? { lastSequence: one.last, windowId: one.windowId } : null;
    });
  }

  countAgentWindows(): Promise<number> {
    return this.collections.agentWindows.countDocuments();
  }

  async *problems(): AsyncGenerator<Problem> {
    // A document keeps each value once.
  }

  async #event(event: EventDocument): Promise<InspectedEvent> {
    const { leaf, facts, openings = null } = event;
    return { ...(await this.#outline(event)), leaf, facts, openings };
  }

  async #outline(event: OutlineDocument): Promise<EventOutline> {
    return {
      at: { partition: event.partition, offset: event.offset },
      eventId: uuidText(event._id),
      agentId: uuidText(event.agentId),
      accountId: event.accountId,
      sequence: event.sequence,
      occurredAtMs: event.at,
      class: await this.#class(event.class),
      blocked: event.blocked === true,
      erased: event.erased === true,
      refersTo: event.refersTo === undefined ? null : uuidText(event.refersTo),
      trace: event.trace ?? null,
      rule: event.rule ?? null,
      hasOpenings: event.openings !== undefined,
    };
  }

  /** Looks again for a class that has been stored since the inspection was opened. */
  async #class(name: string): Promise<EventClass | null> {
    const known = this.#classes.get(name);
    if (known !== undefined) return known;
    const found = await this.collections.classes.findOne({ _id: name });
    if (found === null) return null;
    const { _id, ...kind } = found;
    this.#classes.set(_id, kind);
    return kind;
  }
}

const BY_PLACE = { partition: 1, offset: 1 } as const satisfies mongo.Sort;
const ORDERS = /^(content:erased|retention:applied)\//;
const OUTLINE = { leaf: 0, facts: 0 } as const;
