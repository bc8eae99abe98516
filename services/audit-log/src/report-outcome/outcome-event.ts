import type { EventEnvelope, LeafEvent, ReportedOutcome } from '@countersign/contracts';
import { commit, plainEnvelope, plainLeaf, toBase64Url, utf8, uuidV7, type Sha256 } from '@countersign/evidence';

/** What is reported of a check. */
export interface ReportedOf {
  /** The leaf of the check. */
  readonly check: LeafEvent;
  readonly outcome: ReportedOutcome;
  readonly detail: string | null;
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly cadenceSeconds: number;
}

/**
 * The event id that the outcome of a check has, whoever reports it: two reports of one check have the same, and the log's
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
  { check, outcome, detail, accountId, apiKeyId, cadenceSeconds }: ReportedOf,
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
  return wasExecuted ? { ...envelope, executedRefusal: true } : envelope;
}
