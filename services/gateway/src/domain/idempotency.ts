import { createHash, createHmac } from 'node:crypto';
import type { IdempotencyStamp } from '@countersign/contracts';

const VISIBLE = /^[\x21-\x7e]{1,255}$/;

/** What is wrong with the values of the header `Idempotency-Key`; `null` when nothing is. */
export function idempotencyKeyProblem(key: string): string | null {
  return VISIBLE.test(key) ? null : 'Idempotency-Key must be 1 to 255 visible ASCII characters, sent once';
}

/**
 * What the counters and the log keep of a key and the body it came with: neither can be read back from it, and without
 * the key nobody can test a guess of the body.
 */
export function idempotencyStamp(accountId: string, key: string, canonicalBody: string): IdempotencyStamp {
  return {
    keySha256: createHash('sha256').update(`${accountId}\n${key}`).digest('hex'),
    bodySha256: createHmac('sha256', key).update(canonicalBody).digest('hex'),
  };
}
