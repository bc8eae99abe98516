import type { EventEnvelope, GivenBack, HeldAmount, LeafEvent, ReportedOutcome } from '@countersign/contracts';
import { commit, plainEnvelope, plainLeaf, toBase64Url, utf8, uuidV7, type Sha256 } from '@countersign/evidence';

/** Report of a check. */
export interface ReportedOf {
  /** The leaf of the check. */
  readonly check: LeafEvent;
  readonly outcome: ReportedOutcome;
  readonly detail: string | null;
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly cadenceSeconds: number;
  /** Spending that the check counted, where the outcome gives it back. */
  readonly givesBack: GivenBack | null;
  /** Reserved amounts that the check counted, where the outcome gives them back. */
  readonly givesBackHeld: readonly HeldAmount[];
}

/**
 * The event id that the outcome of a check has, whichever client reports it: two reports of one check have the same, and the log's
 * readers count an event id once. So the first in the log is the outcome, on whatever instance it was reported.
 */
export function outcomeEventId(checkEventId: string, sha256: Sha256): string {
  const madeAtMs = parseInt(checkEventId.replace('-', '').slice(0, 12), 16);
  return uuidV7(madeAtMs, sha256(utf8(`countersign outcome of ${checkEventId}`)).slice(0, 10));
}

/**
 * The event that says what became of a check.
 * @param nowMs the counters' clock
 * @param random gives as many random bytes as asked
 */
export function outcomeEvent(
  { check, outcome, detail, accountId, apiKeyId, cadenceSeconds, givesBack, givesBackHeld }: ReportedOf,
  nowMs: number,
  random: (bytes: number) => Uint8Array,
  sha256: Sha256,
): EventEnvelope {
  const salt = toBase64Url(random(16));
  const leaf = plainLeaf({
    type: 'action.outcome',
    eventId: outcomeEventId(check.eventId, sha256),
    refersTo: check.eventId,
    agentId: check.agentId,
    occurredAt: new Date(nowMs).toISOString(),
    outcome,
    payload: detail === null ? null : commit('payload', salt, detail, sha256),
  });
  const openings = detail === null ? {} : { payload: { salt, value: detail } };
  const envelope = plainEnvelope(leaf, { accountId, cadenceSeconds, apiKeyId, openings });
  const wasExecuted = check.allowed === false && outcome !== 'skipped';
  return {
    ...envelope,
    ...(wasExecuted ? { executedRefusal: true } : {}),
    ...(givesBack === null ? {} : { givesBack }),
    ...(givesBackHeld.length === 0 ? {} : { givesBackHeld }),
  };
}

/**
 * So long after its check an outcome gives back what the check counted, ms. Followers remember the ids of events for
 * 72 hours from the time in them, which is the check's: within it no repetition gives back twice.
 */
export const GIVES_BACK_MS = 24 * 60 * 60 * 1000;

/** Spending and amounts of its check that an outcome gives back. */
export interface Returned {
  readonly givesBack: GivenBack | null;
  readonly givesBackHeld: readonly HeldAmount[];
}

export const NOTHING_RETURNED: Returned = { givesBack: null, givesBackHeld: [] };

/**
 * Spending and reserved amounts of its check that an outcome gives back: all of it where the action was skipped, nothing
 * where it failed, since it may have cost what it should. What observe mode let pass, and what was answered in doubt,
 * stays counted; what counted nothing gives nothing back.
 * @param referring what refers to the check
 * @param nowMs the counters' clock
 */
export function returnedBy(
  { leaf, costMicros, order, ruleCounts }: Pick<EventEnvelope, 'leaf' | 'costMicros' | 'order' | 'ruleCounts'>,
  outcome: ReportedOutcome,
  referring: readonly Pick<LeafEvent, 'type'>[],
  nowMs: number,
): Returned {
  const { allowed, violation_type, occurredAt } = leaf;
  const atMs = Date.parse(occurredAt);
  if (outcome !== 'skipped' || allowed !== true || violation_type !== null) return NOTHING_RETURNED;
  if (nowMs - atMs >= GIVES_BACK_MS) return NOTHING_RETURNED;
  if (referring.some(({ type }) => type === 'action.unanswered')) return NOTHING_RETURNED;
  const reserved = order === undefined ? [] : (ruleCounts?.limits ?? []).filter(({ reserve }) => reserve);
  return {
    givesBack: costMicros === 0 ? null : { costMicros, occurredAt },
    givesBackHeld: reserved.map(({ key, amount }) => ({ key, order: order!, atMs, amount })),
  };
}
