import { createHash, createHmac } from 'node:crypto';
import type { CheckRequest, IdempotencyStamp } from '@countersign/contracts';
import { canonicalize } from '@countersign/evidence';
import type { Subject } from '../subject-token/subject-tokens.js';
import type { OriginHeaders } from './origin.js';

const VISIBLE = /^[\x21-\x7e]{1,255}$/;

/** The problem of the header `Idempotency-Key`; `null` for none. */
export function idempotencyKeyProblem(key: string): string | null {
  return VISIBLE.test(key) ? null : 'Idempotency-Key must be 1 to 255 visible ASCII characters, sent once';
}

/** The name under which the counters keep the claim of a key. */
export function idempotencyKeySha256(accountId: string, key: string): string {
  return createHash('sha256').update(`${accountId}\n${key}`).digest('hex');
}

/**
 * The stamp of a key and its body that counters and log keep: neither can be read back from it, and without the key a
 * guess of the body cannot be tested.
 */
export function idempotencyStamp(accountId: string, key: string, canonicalBody: string): IdempotencyStamp {
  return {
    keySha256: idempotencyKeySha256(accountId, key),
    bodySha256: createHmac('sha256', key).update(canonicalBody).digest('hex'),
  };
}

/** As {@link stampedBody}, of a check whose token is valid: a renewed token that says the same is the same. */
export function stampedWithSubject(
  request: CheckRequest,
  { session }: Pick<OriginHeaders, 'session'>,
  { issuer, principal, session: ofToken, actors }: Subject,
): string {
  const subject = { issuer, principal, session: ofToken, actors: actors.map((actor) => ({ ...actor })) };
  return canonicalize([request, { session, subject }]);
}

/**
 * Text that a repetition must send again: the body, and the headers that name principal and session, where there are any. A
 * trace is of one request.
 */
export function stampedBody(
  request: CheckRequest,
  { principal, session }: Pick<OriginHeaders, 'principal' | 'session'>,
): string {
  return canonicalize(principal === null && session === null ? request : [request, { principal, session }]);
}
