import type { BehaviorProfile } from '@countersign/contracts';
import { ReplayCounts } from '@countersign/counters';
import { compileProfile, decide } from '@countersign/policy-engine';
import type { Action, CompiledProfile, Decision, Violation } from '@countersign/policy-engine';

/** What a profile makes of a check. In observe mode a violation may stand beside `allowed`. */
export interface Verdict {
  readonly allowed: boolean;
  readonly violation: Violation | null;
  /** The denial would freeze the agent. */
  readonly freezes: boolean;
}

/**
 * One agent under one profile, whose checks are judged at times of the caller's choice, in the order of the calls: by
 * `decide` and the counters' own arithmetic, as a gateway does. Plan and freeze are left to the caller.
 */
export class SimulatedAgent {
  readonly profile: CompiledProfile;
  readonly #counts = new ReplayCounts();

  constructor(profile: BehaviorProfile) {
    this.profile = compileProfile(profile);
  }

  /** Judges and counts. */
  check(action: Action, atMs: number): Verdict {
    return this.settle(decide(this.profile, action), atMs);
  }

  /** Judges spending and rate after what the static rules decided, and counts. */
  settle({ violation, costMicros }: Pick<Decision, 'violation' | 'costMicros'>, atMs: number): Verdict {
    const { spending, rate, observe, freezeOnViolation } = this.profile;
    const judgement = this.#counts.check({ violation, costMicros, spending, rate, observe, freezeOnViolation }, atMs);
    return {
      allowed: judgement.outcome === 'allowed',
      violation: judgement.violation,
      freezes: judgement.freezesAgent,
    };
  }

  /** Counts what was counted of a check that is not judged. */
  count(counted: { readonly costMicros: number; readonly countsRate: boolean }, atMs: number): void {
    this.#counts.count(counted, atMs);
  }

  /** Gives back the spending that a check counted at `atMs`. */
  giveBack(costMicros: number, atMs: number): void {
    this.#counts.giveBack(costMicros, atMs);
  }
}
