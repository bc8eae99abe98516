import type { EventEnvelope } from '@countersign/contracts';
import { JsonRefused, parseJsonStrict, readEnvelope, VERIFICATION_LIMITS, type Reading } from '@countersign/evidence';

/**
 * A message of `agent-events` as the one predicate of evidence judges it. What it refuses is no leaf for anyone: it may
 * be parked. It throws for nothing that a message can hold.
 */
export function readMessage(value: Uint8Array): Reading<EventEnvelope> {
  let parsed: unknown;
  try {
    parsed = parseJsonStrict(value, VERIFICATION_LIMITS);
  } catch (error) {
    if (error instanceof JsonRefused) return { ok: false, problem: error.message };
    throw error;
  }
  return readEnvelope(parsed);
}
