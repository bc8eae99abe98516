import type { IdempotencyStamp } from '@countersign/contracts';
import type { ReadingBudget } from '@countersign/policy-engine';
import type { Origin } from '../domain/origin.js';
import type { KnownKey } from '../follow/read-model.js';
import type { CheckSignature } from '../signature/signatures.js';
import type { Subject } from '../subject-token/subject-tokens.js';
import type { PreparedCheck } from './prepare.js';

/** A token that says on whose behalf the agent acts, before it is judged. */
export interface SubjectToken {
  /** As sent; the empty string: sent twice. */
  readonly text: string;
  /** The origin as the request says it without the token. */
  readonly origin: Origin;
  /** Id of the subject of an evaluation, which has to be the principal of the token; `null`: none. */
  readonly named: string | null;
  /** The stamp of the check, where the token is valid. */
  readonly stamp: (subject: Subject) => IdempotencyStamp | null;
}

/** Input of a judgement. */
export interface CheckJob {
  readonly key: KnownKey;
  readonly prepared: PreparedCheck;
  readonly stamp: IdempotencyStamp | null;
  readonly origin: Origin;
  /** `metadata.time` is `context.time` of an evaluation, a time of RFC 3339. */
  readonly isTimed?: boolean;
  /** Id of the approval that the caller names. */
  readonly approvalId?: string;
  /** Absent: none was sent. */
  readonly token?: SubjectToken;
  /** Absent: none was sent. */
  readonly signature?: CheckSignature;
  /** The member `signature` of the context, once the signature was judged; absent or `null`: none. */
  readonly signed?: string | null;
  /** Of the request, where it asks about several actions. */
  readonly budget?: ReadingBudget;
}
