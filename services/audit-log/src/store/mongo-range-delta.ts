import type { mongo } from 'mongoose';
import { HOUR_MS } from '../domain/count-times.js';
import {
  uuid,
  uuidText,
  type BlockedDocument,
  type EventDocument,
  type HeadDocument,
  type HourDocument,
} from './mongo-collections.js';
import type { ReadLeaf } from './mongo-leaf.js';
import type { TallyChange } from './mongo-tallies.js';
import { StoreConflict, type AgentHead } from './port.js';

/** Where a leaf is stored. */
export type StoredPlace = Pick<EventDocument, '_id' | 'partition' | 'offset' | 'agentId' | 'sequence'>;

export interface ErasureAt {
  readonly refersTo: mongo.UUID;
  readonly agentId: mongo.UUID;
  readonly offset: number;
}

interface HeadCount {
  readonly id: mongo.UUID;
  readonly accountId: string;
  stored: HeadDocument | null;
  leaves: number;
  checks: number;
}

interface HourCount {
  readonly scope: string;
  readonly hour: number;
  applied: number | null;
  total: number;
  readonly counts: Map<string, number>;
}

interface BlockedCount {
  readonly accountId: string;
  applied: number | null;
  count: number;
}

/**
 * Delta of an offset range of a partition: new leaves, sequences, tally changes. It follows from the log below and in the
 * range alone, so every instance computes the same one; each tally has the offset up to which it counts already.
 */
export class RangeDelta {
  readonly unstored: EventDocument[] = [];
  readonly erasures: ErasureAt[] = [];
  readonly retentions: ErasureAt[] = [];
  readonly #partition: number;
  readonly #stored = new Map<string, StoredPlace>();
  readonly #seen = new Set<string>();
  readonly #heads = new Map<string, HeadCount>();
  readonly #hours = new Map<string, HourCount>();
  readonly #blocked = new Map<string, BlockedCount>();

  /** The tallies that leaves of the range can touch; {@link know} gives their stored state. */
  constructor(leaves: readonly ReadLeaf[], partition: number) {
    this.#partition = partition;
    for (const leaf of leaves) {
      const { agentId, accountId } = leaf;
      if (!this.#heads.has(agentId)) {
        this.#heads.set(agentId, { id: uuid(agentId), accountId, stored: null, leaves: 0, checks: 0 });
      }
      const hour = hourOf(leaf);
      for (const scope of scopesOf(leaf)) {
        const id = hourId(scope, hour, partition);
        if (!this.#hours.has(id)) this.#hours.set(id, { scope, hour, applied: null, total: 0, counts: new Map() });
      }
      if (leaf.blocked) {
        this.#blocked.set(blockedId(accountId, partition), { accountId, applied: null, count: 0 });
      }
    }
  }

  get headIds(): readonly mongo.UUID[] {
    return [...this.#heads.values()].map(({ id }) => id);
  }

  get hourIds(): readonly string[] {
    return [...this.#hours.keys()];
  }

  get blockedIds(): readonly string[] {
    return [...this.#blocked.keys()];
  }

  know(
    places: readonly StoredPlace[],
    heads: readonly HeadDocument[],
    hours: readonly HourDocument[],
    blocked: readonly BlockedDocument[],
  ): void {
    for (const place of places) this.#stored.set(uuidText(place._id), place);
    for (const head of heads) this.#heads.get(uuidText(head._id))!.stored = head;
    for (const { _id, applied } of hours) this.#hours.get(_id)!.applied = applied;
    for (const { _id, applied } of blocked) this.#blocked.get(_id)!.applied = applied;
  }

  /**
   * Takes the leaves of the range in the order of the log, from the first that the position does not cover.
   * @throws StoreConflict for an event that is stored as another leaf than this one
   */
  take(leaf: ReadLeaf): void {
    if (this.#seen.has(leaf.eventId)) return;
    this.#seen.add(leaf.eventId);
    const stored = this.#stored.get(leaf.eventId);
    if (stored !== undefined) {
      if (stored.partition !== this.#partition || stored.offset > leaf.offset) {
        throw new StoreConflict(
          `event ${leaf.eventId} at ${this.#partition}/${leaf.offset} is stored from ${stored.partition}/${stored.offset}`,
        );
      }
      if (stored.offset < leaf.offset) return;
    }
    this.#takeHead(leaf, stored);
    this.#count(leaf);
  }

  #takeHead(leaf: ReadLeaf, stored: StoredPlace | undefined): void {
    const head = this.#heads.get(leaf.agentId)!;
    if (leaf.offset < (head.stored?.applied ?? 0)) return;
    head.leaves += 1;
    if (leaf.isCheck) head.checks += 1;
    const document = leaf.document(head.id, (head.stored?.sequence ?? 0) + head.leaves);
    if (stored === undefined) this.unstored.push(document);
    else assertSamePlace(document, stored);
    if (leaf.erases !== null) {
      this.erasures.push({ refersTo: uuid(leaf.erases), agentId: head.id, offset: leaf.offset });
    }
    if (leaf.retains !== null) {
      this.retentions.push({ refersTo: uuid(leaf.retains), agentId: head.id, offset: leaf.offset });
    }
  }

  #count(leaf: ReadLeaf): void {
    const hour = hourOf(leaf);
    for (const scope of scopesOf(leaf)) {
      const tally = this.#hours.get(hourId(scope, hour, this.#partition))!;
      if (leaf.offset < (tally.applied ?? 0)) continue;
      tally.total += 1;
      tally.counts.set(leaf.className, (tally.counts.get(leaf.className) ?? 0) + 1);
    }
    if (!leaf.blocked) return;
    const inbox = this.#blocked.get(blockedId(leaf.accountId, this.#partition))!;
    if (leaf.offset >= (inbox.applied ?? 0)) inbox.count += 1;
  }

  headChanges(): readonly TallyChange<mongo.UUID>[] {
    return [...this.#heads.values()]
      .filter(({ leaves }) => leaves > 0)
      .map(({ id, accountId, stored, leaves, checks }) => ({
        id,
        applied: stored?.applied ?? null,
        add: { sequence: leaves, checks },
        set: { untold: true },
        first: { accountId, toldSequence: 0 },
      }));
  }

  hourChanges(): readonly TallyChange<string>[] {
    return [...this.#hours]
      .filter(([, { total }]) => total > 0)
      .map(([id, { scope, hour, applied, total, counts }]) => ({
        id,
        applied,
        add: { total, ...Object.fromEntries([...counts].map(([name, count]) => [`counts.${name}`, count])) },
        first: { scope, hour },
      }));
  }

  blockedChanges(): readonly TallyChange<string>[] {
    return [...this.#blocked]
      .filter(([, { count }]) => count > 0)
      .map(([id, { accountId, applied, count }]) => ({
        id,
        applied,
        add: { count },
        first: { accountId, partition: this.#partition },
      }));
  }

  /** Heads that this range moves, or that were moved beyond the position by an instance that did not save it. */
  movedSince(position: number): readonly AgentHead[] {
    return [...this.#heads]
      .filter(([, { leaves, stored }]) => leaves > 0 || (stored?.applied ?? 0) > position)
      .map(([agentId, { stored, leaves, checks }]) => ({
        agentId,
        lastSequence: (stored?.sequence ?? 0) + leaves,
        checks: (stored?.checks ?? 0) + checks,
      }));
  }
}

/** @throws StoreConflict */
export function assertSamePlace(computed: EventDocument, stored: StoredPlace): void {
  const { partition, offset, sequence, agentId, _id } = computed;
  const same = stored.partition === partition && stored.offset === offset && stored.sequence === sequence;
  if (same && stored.agentId.equals(agentId)) return;
  throw new StoreConflict(
    `event ${uuidText(_id)} at ${partition}/${offset} would be sequence ${sequence} of its agent and is stored from ` +
      `${stored.partition}/${stored.offset} as ${stored.sequence}`,
  );
}

export function agentScope(agentId: string): string {
  return `agent:${agentId}`;
}

export function accountScope(accountId: string): string {
  return `account:${accountId}`;
}

function scopesOf({ agentId, accountId }: ReadLeaf): readonly [string, string] {
  return [agentScope(agentId), accountScope(accountId)];
}

function hourOf({ at }: ReadLeaf): number {
  return Math.floor(at / HOUR_MS);
}

function hourId(scope: string, hour: number, partition: number): string {
  return `${partition}/${hour}/${scope}`;
}

function blockedId(accountId: string, partition: number): string {
  return `${partition}/${accountId}`;
}
