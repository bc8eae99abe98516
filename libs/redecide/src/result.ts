import type { JsonValue } from '@countersign/contracts';

export const REDECISION_RULE = 'countersign/redecide/1';

export const VERDICTS = ['same', 'different', 'withheld', 'erased', 'not_checked'] as const;
/** The verdict of re-decision on one check (`libs/evidence/FORMAT.md`, "Re-decision"). */
export type Verdict = (typeof VERDICTS)[number];

/** Why a check has a verdict other than `same` and `erased`. */
export type Reason =
  'version' | 'context' | 'action' | 'profile' | 'payload' | 'rule' | 'no_room' | 'engine' | 'verdict';

/** A member of the leaf or of the context that does not follow from the inputs. */
export interface Difference {
  readonly member: string;
  readonly recorded: JsonValue;
  readonly recomputed: JsonValue;
}

export interface RedecidedEvent {
  readonly eventId: string;
  readonly agentId: string;
  readonly sequence: number;
  readonly verdict: Verdict;
  /** `null` with `same` and `erased`. */
  readonly reason: Reason | null;
  /** The check was judged by another version of the engine or of its detectors. */
  readonly otherEngine: boolean;
  readonly differences: readonly Difference[];
}

/** A balance that does not follow from what the checks before it counted. */
export interface Break {
  readonly eventId: string;
  readonly sequence: number;
  /** `spent.day`, `spent.month`, `rate`, `limits.<id>`, `facts.<id>`, `plan.used`, `order`. */
  readonly balance: string;
  readonly recorded: string;
  /** Decimals; `most` is `null` where it is not known. */
  readonly least: string;
  readonly most: string | null;
}

export interface RedecidedAgent {
  readonly agentId: string;
  readonly checks: number;
  readonly balances: 'continuous' | 'broken' | 'not_checked';
  /** Numbers of `order` that no check of the package accounts for. */
  readonly missing: number;
  readonly breaks: readonly Break[];
}

export interface EngineVersion {
  readonly engine: string;
  readonly detectors: string;
}

export interface RedecisionTotals extends Readonly<Record<Verdict, number>> {
  readonly checks: number;
  readonly otherEngine: number;
  readonly agents: number;
  readonly continuous: number;
  readonly broken: number;
  readonly missing: number;
}

export interface Redecision {
  readonly rule: typeof REDECISION_RULE;
  readonly engine: EngineVersion;
  readonly totals: RedecisionTotals;
  /** Members of the statement in the package that differ; `null`: it states none, or was made by another version. */
  readonly stated: readonly Difference[] | null;
  readonly agents: readonly RedecidedAgent[];
  readonly events: readonly RedecidedEvent[];
}

/** The exit code of a re-decision: 0 all the same, 1 a difference, a broken balance or a wrong statement, 2 something was not computed. */
export function redecisionCode({ totals, stated }: Pick<Redecision, 'totals' | 'stated'>): 0 | 1 | 2 {
  const { checks, same, different, broken, missing, agents, continuous } = totals;
  if (different > 0 || broken > 0 || (stated ?? []).length > 0) return 1;
  return same === checks && continuous === agents && missing === 0 ? 0 : 2;
}
