import { ACCOUNT_EVENTS } from '@countersign/contracts';
import type { LeafEvent } from '@countersign/contracts';
import type { EventFilter } from './event-filter.js';

const ACTIONS = 'action.';

/** Members that filters and counts by class use; leaves have few combinations of them. */
export interface EventClass {
  readonly type: string;
  readonly outcome: string | null;
  readonly allowed: boolean | null;
  readonly violationType: string | null;
}

export function classOf({ type, outcome, allowed, violation_type: violationType }: LeafEvent): EventClass {
  return { type, outcome, allowed, violationType };
}

/** `true` when the filter restricts the class. */
export function asksForClass({ type, outcome, allowed, violationType, rule, kind, by }: EventFilter): boolean {
  return [type, outcome, allowed, violationType, rule, kind, by].some((member) => member !== undefined);
}

/**
 * `true` when the filter lets events of the class through. Events without a violation have no rule, and what agents did is
 * by no person.
 */
export function matchesClass(filter: EventFilter, of: EventClass): boolean {
  const { type, outcome, allowed, violationType, rule, kind, by } = filter;
  return (
    (type === undefined || of.type === type) &&
    (outcome === undefined || of.outcome === outcome) &&
    (allowed === undefined || of.allowed === allowed) &&
    (violationType === undefined || of.violationType === violationType) &&
    (rule === undefined || of.violationType !== null) &&
    (kind === undefined || of.type.startsWith(ACCOUNT_EVENTS) === (kind === 'account')) &&
    (by === undefined || !of.type.startsWith(ACTIONS))
  );
}

/** `true` when the filter lets only leaves through that {@link isBlocked} is true for. */
export function onlyBlocked({ outcome }: EventFilter): boolean {
  return outcome === 'denied' || outcome === 'frozen';
}

/**
 * `true` for what was denied or frozen: checks, which the violation inbox shows, and the denial of a request by a person,
 * which it does not. That one refers to the check that asked; no check refers to anything.
 */
export function isBlocked(leaf: LeafEvent): boolean {
  return leaf.outcome === 'denied' || leaf.outcome === 'frozen';
}
