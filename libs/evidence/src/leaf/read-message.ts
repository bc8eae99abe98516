import type { EventEnvelope } from '@countersign/contracts';
import { JsonRefused, parseJsonStrict, VERIFICATION_LIMITS } from '../json/parse-strict.js';
import { refuse, type Reading } from '../reading.js';
import { readEnvelope } from './read-envelope.js';

/** Results by the bytes they were read from: consumers in one thread receive the same array. */
const readings = new WeakMap<Uint8Array, Reading<EventEnvelope>>();

/**
 * Reads the bytes of a message of `agent-events` by the one predicate that every consumer uses: what it refuses is not
 * a leaf for any consumer and may be dead-lettered, so all assign the same sequences. Throws for no message. Bytes and
 * result MUST NOT be changed: a later call with the same array returns the same result.
 */
export function readMessage(bytes: Uint8Array): Reading<EventEnvelope> {
  let reading = readings.get(bytes);
  if (reading === undefined) readings.set(bytes, (reading = parseMessage(bytes)));
  return reading;
}

function parseMessage(bytes: Uint8Array): Reading<EventEnvelope> {
  let parsed: unknown;
  try {
    parsed = parseJsonStrict(bytes, VERIFICATION_LIMITS);
  } catch (error) {
    if (error instanceof JsonRefused) return refuse(error.message);
    throw error;
  }
  return readEnvelope(parsed);
}
