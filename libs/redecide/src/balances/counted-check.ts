import type { RuleTrip } from '@countersign/contracts';
import { actionCost } from '@countersign/policy-engine';
import { nanosOf } from '../amounts.js';
import type { ShownCheck, ShownContext } from '../read-events.js';

/** `rule` of a check that was denied because a fact could not be kept. */
export const NO_ROOM_FOR_FACTS = 'facts:no room';

/** A check that shows its context, with what it added to the balances. */
export interface CountedCheck {
  readonly eventId: string;
  readonly sequence: number;
  readonly atMs: number;
  readonly context: ShownContext;
  readonly allowed: boolean;
  /** It was allowed or denied: it counts as an action of the plan. */
  readonly countsAction: boolean;
  /** Cost that it counted; `null`: its action is not shown. */
  readonly costMicros: number | null;
  /** Version of its profile. */
  readonly version: number;
  readonly countsRate: boolean;
  /** Length of the rate window of its profile; `null`: no rate limit, or the profile is not known. */
  readonly rateWindowMs: number | null;
  /** Facts and limits of its profile that concern the action; `undefined`: not known. */
  readonly trip: RuleTrip | null | undefined;
  /** Its answer may not have reached the caller: the counters may have taken back what it counted. */
  readonly unanswered: boolean;
  /** There was no room for a fact that it set: from then on, any fact may be set. */
  readonly forgotFacts: boolean;
  /** Place of the outcome that says that its action was skipped; `null`: none does. */
  readonly skippedAt: number | null;
}

/** @param trip as `Judged.trip`; `undefined` where the check was not judged again */
export function countedCheck(
  { leaf, sequence, atMs, action }: ShownCheck,
  context: ShownContext,
  trip: RuleTrip | null | undefined,
  rateWindowMs: number | null,
  doubts: Pick<CountedCheck, 'unanswered' | 'skippedAt'>,
): CountedCheck {
  const allowed = leaf.outcome === 'allowed';
  return {
    eventId: leaf.eventId,
    sequence,
    atMs,
    context,
    allowed,
    countsAction: allowed || leaf.outcome === 'denied',
    costMicros: allowed ? (action === null ? null : actionCost(action)) : 0,
    version: leaf.profileVersion ?? 0,
    countsRate: allowed && context.seen.rate !== null,
    rateWindowMs,
    trip,
    forgotFacts: leaf.rule === NO_ROOM_FOR_FACTS,
    ...doubts,
  };
}

/** Reports whether something that a check counted may have been taken back before a check at this place. */
export function isDoubtful({ unanswered, skippedAt }: CountedCheck, sequence: number, givenBack: boolean): boolean {
  return unanswered || (givenBack && skippedAt !== null && skippedAt < sequence);
}

/** Amounts that it counted towards limits. */
export function charges({
  trip,
  allowed,
}: CountedCheck): readonly { key: string; nanos: bigint; windowMs: number; reserve: boolean }[] {
  if (!allowed) return [];
  return (trip?.limits ?? [])
    .map(({ key, amount, windowSeconds, reserve }) => ({
      key,
      nanos: nanosOf(amount),
      windowMs: windowSeconds * 1000,
      reserve,
    }))
    .filter(({ nanos }) => nanos > 0n);
}
