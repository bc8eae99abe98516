import type { AnswerExtras, Severity, ViolationType } from '@countersign/contracts';

/**
 * A violation. In a trip: of a static rule (off-limits, APIs, data scope, output), found by the gateway before the
 * trip. In a judgement: that one, or the one that the counters found.
 */
export interface StaticViolation {
  readonly violation_type: ViolationType;
  readonly severity: Severity;
  /** In words, for the answer. */
  readonly reason: string;
  /** The violated rule, such as `rate_limit:3/10s`; `null`: it has no name. */
  readonly rule: string | null;
  /** The facts behind it in words, such as limit and count; `null`: none. */
  readonly detail: string | null;
  /** Members of the answer in addition to those of every denial; `null`: none. */
  readonly extras: AnswerExtras | null;
}
