import type { IdempotencyStamp } from '@countersign/contracts';
import type { ReadingBudget } from '@countersign/policy-engine';
import type { Origin } from '../domain/origin.js';
import type { KnownKey } from '../follow/read-model.js';
import type { PreparedCheck } from './prepare.js';

/** Input of a judgement. */
export interface CheckJob {
  readonly key: KnownKey;
  readonly prepared: PreparedCheck;
  readonly stamp: IdempotencyStamp | null;
  readonly origin: Origin;
  /** Id of the approval that the caller names. */
  readonly approvalId?: string;
  /** Of the request, where it asks about several actions. */
  readonly budget?: ReadingBudget;
}
