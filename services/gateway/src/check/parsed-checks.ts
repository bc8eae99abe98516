import type { CheckAnswer } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import { idempotencyStamp, stampedBody } from '../domain/idempotency.js';
import { readOrigin, TWO_PRINCIPALS } from '../domain/origin.js';
import type { OriginHeaders } from '../domain/origin.js';
import type { ReadModel, KnownKey } from '../follow/read-model.js';
import type { CheckHandler } from '../http/check-handler.js';
import type { Credentials } from './credentials.js';
import type { CheckJob } from './check-job.js';
import type { RefusalStatus } from './pending-check.js';
import { CheckSignature, NOT_VERIFIED_HERE } from '../signature/signatures.js';
import { isMalformed, prepareParsed } from './prepare.js';
import { subjectTokenOf } from './subject-token-of.js';

/** Outcome of a check that did not come in by its own route. */
export type Outcome =
  | { readonly kind: 'decided'; readonly answer: CheckAnswer; readonly replayed: boolean }
  | { readonly kind: 'refused'; readonly status: RefusalStatus; readonly error: string }
  | {
      readonly kind: 'undecided';
      readonly code: 'unavailable' | 'deadline_exceeded';
      readonly reason: string;
      /** An event was sent, and is in doubt. */
      readonly eventId: string | null;
    };

/** The headers of a request that its checks are judged by. */
export type NamedHeaders = OriginHeaders & {
  readonly approvalId: string | null;
  readonly subjectToken: string | null;
  readonly isSigned: boolean;
};

/**
 * Makes checks whose bodies the edge has read: each is a check like any other, with its own event that is durable before
 * its answer.
 */
export class ParsedChecks {
  constructor(
    private readonly checkHandler: Pick<CheckHandler, 'ask'>,
    private readonly known: Pick<ReadModel, 'keyOfId' | 'apiKeys'>,
    private readonly credentials: Pick<Credentials, 'ended'>,
  ) {}

  /**
   * The key that the edge has accepted, which this read model may not have read yet.
   * @throws HttpRefusal 401 where it was revoked meanwhile
   */
  async callerKey(id: string): Promise<KnownKey> {
    if (this.known.keyOfId(id) === undefined) await this.known.apiKeys.caughtUp();
    const key = this.known.keyOfId(id);
    if (key === undefined) throw new HttpRefusal(401, this.credentials.ended(id), { 'www-authenticate': 'Bearer' });
    return key;
  }

  /**
   * Never rejects.
   * @param body of `POST /v1/check`, parsed by the rules of `parseJsonStrict`
   * @param headers of the request
   * @param about `budget` of the request, where it asks about several
   */
  check(
    body: object,
    key: KnownKey,
    idempotencyKey: string | null,
    headers: NamedHeaders,
    about: Pick<CheckJob, 'budget' | 'isTimed'> = {},
  ): Promise<Outcome> {
    const prepared = prepareParsed(body);
    if (isMalformed(prepared)) return Promise.resolve({ kind: 'refused', ...prepared });
    const origin = readOrigin(headers, prepared.action);
    if (typeof origin === 'string') return Promise.resolve({ kind: 'refused', status: 400, error: origin });
    const stamp =
      idempotencyKey === null
        ? null
        : idempotencyStamp(key.accountId, idempotencyKey, stampedBody(prepared.request, headers));
    const { approvalId, subjectToken } = headers;
    if (subjectToken !== null && headers.principal !== null) {
      return Promise.resolve({ kind: 'refused', status: 400, error: TWO_PRINCIPALS });
    }
    const bytes = prepared.committed.canonical.length + (prepared.payload?.canonical.length ?? 0);
    return new Promise((resolve) => {
      this.checkHandler.ask(
        {
          ...{ key, prepared, stamp, origin },
          ...(approvalId === null ? {} : { approvalId }),
          ...(headers.isSigned ? { signature: new CheckSignature(() => NOT_VERIFIED_HERE) } : {}),
          ...(subjectToken === null
            ? {}
            : { token: subjectTokenOf(subjectToken, key, prepared, idempotencyKey, headers, origin) }),
          ...about,
        },
        {
          answer: (answer, _retryAfter, replayed) => resolve({ kind: 'decided', answer, replayed }),
          refuse: (status, error) => resolve({ kind: 'refused', status, error }),
          unavailable: (code, reason, eventId) => resolve({ kind: 'undecided', code, reason, eventId }),
        },
        bytes,
      );
    });
  }
}
