import { read, type Reading, refuse } from '../reading.js';
import {
  base58,
  count,
  hash,
  instant,
  list,
  nullable,
  object,
  oneOf,
  positive,
  text,
  uuid,
  where,
} from '../verify/shape.js';
import { type Sample, SAMPLE_POPULATIONS, SAMPLE_RULE } from './rule.js';

/** A hash of 32 bytes in base58: 32 characters where all bytes are zero, 44 at most. */
const blockhash = where(
  (value) => typeof value === 'string' && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(value),
  'the hash of a block in base58',
);

const sample = object({
  rule: oneOf(SAMPLE_RULE),
  package: object({
    reportId: text,
    sha256: hash,
    contentHash: hash,
    range: object({ from: instant, to: instant }),
  }),
  request: object({ size: positive, population: oneOf(...SAMPLE_POPULATIONS), notBefore: nullable(instant) }),
  anchor: object({ network: text, txSignature: base58, slot: nullable(count) }),
  block: object({ slot: count, blockhash, blockTime: nullable(count) }),
  seed: hash,
  populationSize: count,
  selected: list(
    object({
      rank: positive,
      index: count,
      eventId: uuid,
      agentId: uuid,
      sequence: positive,
      type: text,
      outcome: nullable(text),
      occurredAt: instant,
      draw: hash,
    }),
  ),
});

/** Reads a sample from JSON; checks its form only. */
export function readSample(value: unknown): Reading<Sample> {
  const fault = sample(value);
  return fault === null ? read(value as Sample) : refuse(`sample${fault.path} must be ${fault.form}`);
}
