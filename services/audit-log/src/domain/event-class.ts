import type { LeafEvent } from '@countersign/contracts';
import type { EventFilter } from './event-filter.js';

/** What filters and counts by class look at; leaves have few combinations of them. */
export interface EventClass {
  readonly type: string;
  readonly outcome: string | null;
  readonly allowed: boolean | null;
  readonly violationType: string | null;
}

export function classOf({ type, outcome, allowed, violation_type: violationType }: LeafEvent): EventClass {
  return { type, outcome, allowed, violationType };
}

/** Whether the filter asks for anything of the class. */
export function asksForClass({ type, outcome, allowed, violationType }: EventFilter): boolean {
  return type !== undefined || outcome !== undefined || allowed !== undefined || violationType !== undefined;
}

/** Whether the filter lets events of the class through. */
export function matchesClass({ type, outcome, allowed, violationType }: EventFilter, of: EventClass): boolean {
  return (
    (type === undefined || of.type === type) &&
    (outcome === undefined || of.outcome === outcome) &&
    (allowed === undefined || of.allowed === allowed) &&
    (violationType === undefined || of.violationType === violationType)
  );
}

/** What the violation inbox shows. */
export function isBlocked(leaf: LeafEvent): boolean {
  return leaf.outcome === 'denied' || leaf.outcome === 'frozen';
}
