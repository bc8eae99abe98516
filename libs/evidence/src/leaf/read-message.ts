import type { EventEnvelope } from '@countersign/contracts';
import { JsonRefused, parseJsonStrict, VERIFICATION_LIMITS } from '../json/parse-strict.js';
import { refuse, type Reading } from '../reading.js';
import { readEnvelope } from './read-envelope.js';

/** What was made of bytes that someone still holds: consumers of one thread are given the same ones. */
const readings = new WeakMap<Uint8Array, Reading<EventEnvelope>>();

/**
 * The bytes of a message of `agent-events`, by the one predicate that every consumer uses: what it refuses is a leaf for
 * no one and may be parked, so all arrive at the same sequences. Throws for nothing that a message can hold.
 * Bytes and result MUST NOT be changed: whoever asks about the same bytes again is given the same result.
 */
export function readMessage(bytes: Uint8Array): Reading<EventEnvelope> {
  let reading = readings.get(bytes);
  if (reading === undefined) readings.set(bytes, (reading = readAnew(bytes)));
  return reading;
}

function readAnew(bytes: Uint8Array): Reading<EventEnvelope> {
  let parsed: unknown;
  try {
    parsed = parseJsonStrict(bytes, VERIFICATION_LIMITS);
  } catch (error) {
    if (error instanceof JsonRefused) return refuse(error.message);
    throw error;
  }
  return readEnvelope(parsed);
}
