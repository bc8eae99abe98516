/**
 * A decimal of at most nine places, exact: `units` whole units (0 to 99,999,999,999) and `nanos` billionths (0 to
 * 999,999,999).
 */
export interface Amount {
  readonly units: number;
  readonly nanos: number;
}

/** Nanos of one unit. */
export const NANOS_OF_UNIT = 1_000_000_000;

/** Maximum `units` of an amount and of a limit: the sum of all amounts in a window stays below 2^53. */
export const MOST_UNITS = 99_999_999_999;

/** An amount in billionths. `null`: it is negative or exceeds {@link MOST_UNITS}. */
export function amountOfNanos(nanos: bigint): Amount | null {
  if (nanos < 0n) return null;
  const units = nanos / BigInt(NANOS_OF_UNIT);
  return units > BigInt(MOST_UNITS) ? null : { units: Number(units), nanos: Number(nanos % BigInt(NANOS_OF_UNIT)) };
}

/** A fact that a check set. */
export interface SetFact {
  readonly id: string;
  /** Where the agent's fact is held, opaque. */
  readonly key: string;
  /** Time from which this setting no longer holds the fact, ms. */
  readonly expiresAtMs: number;
}

/** An amount that an allowed check counted towards a limit. */
export interface CountedAmount {
  /** Of the agent's window, opaque. */
  readonly key: string;
  readonly windowSeconds: number;
  readonly amount: Amount;
  /** It is returned when the outcome of the check says that its action was skipped. */
  readonly reserve: boolean;
}

/** Facts and amounts that a check set and counted by the rules of its profile: counters are rebuilt from them. */
export interface RuleCounts {
  readonly facts: readonly SetFact[];
  readonly limits: readonly CountedAmount[];
}

/** An amount that a check counted, in its window. */
export interface HeldAmount {
  readonly key: string;
  /** Position of its check among the checks of the agent, as `seen.order` of its context. */
  readonly order: number;
  /** Time of its judgement, ms. */
  readonly atMs: number;
  readonly amount: Amount;
}
