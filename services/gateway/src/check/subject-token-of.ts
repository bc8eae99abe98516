import { idempotencyStamp, stampedWithSubject } from '../domain/idempotency.js';
import type { Origin, OriginHeaders } from '../domain/origin.js';
import type { KnownKey } from '../follow/read-model.js';
import type { SubjectToken } from './check-job.js';
import type { PreparedCheck } from './prepare.js';

/**
 * The token of a check, to be judged with it.
 * @param idempotencyKey `null`: none
 */
export function subjectTokenOf(
  text: string,
  { accountId }: KnownKey,
  { request }: PreparedCheck,
  idempotencyKey: string | null,
  headers: Pick<OriginHeaders, 'session' | 'subject'>,
  origin: Origin,
): SubjectToken {
  return {
    text,
    origin,
    named: headers.subject ?? null,
    stamp: (subject) =>
      idempotencyKey === null
        ? null
        : idempotencyStamp(accountId, idempotencyKey, stampedWithSubject(request, headers, subject)),
  };
}
