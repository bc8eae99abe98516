import type { BehaviorProfile, HeldAmount, RuleCounts } from '@countersign/contracts';
import { ReplayCounts } from '@countersign/counters';
import type { RecordedCounts } from '@countersign/counters';
import { compileProfile, countedRules, decide, whoIn } from '@countersign/policy-engine';
import type { Action, CompiledProfile, Decision, Surroundings, Violation, Who } from '@countersign/policy-engine';

/** Result of a check under a profile. In observe mode there may be a violation although it is allowed. */
export interface Verdict {
  readonly allowed: boolean;
  readonly violation: Violation | null;
  /** The denial would freeze the agent. */
  readonly freezes: boolean;
  /** Facts and amounts that it set and counted, and its position among the checks that were judged; absent: none. */
  readonly ruleCounts?: RuleCounts;
  readonly order?: number;
}

/**
 * One agent under one profile. Its checks are decided at times of the caller's choice, in the order of the calls, by `decide`
 * and the arithmetic of the counters, as a gateway does. Plan and freeze are up to the caller.
 */
export class SimulatedAgent {
  readonly profile: CompiledProfile;
  readonly #agentId: string;
  readonly #counts = new ReplayCounts();

  constructor(profile: BehaviorProfile) {
    this.#agentId = profile.agent_id;
    this.profile = compileProfile(profile);
  }

  /** Decides and counts. */
  check(action: Action, atMs: number, who: Who = whoIn(action)): Verdict {
    return this.settle(decide(this.profile, action, this.around(atMs, who)), atMs, who);
  }

  /** Input of rules with conditions in addition to an action. */
  around(atMs: number, who: Who): Surroundings {
    return { ...who, agentId: this.#agentId, time: Math.floor(atMs / 1000) };
  }

  /** Applies facts, spending, rate and limits to the decision of the static rules, and counts. */
  settle(
    { violation, costMicros, rules }: Pick<Decision, 'violation' | 'costMicros' | 'rules'>,
    atMs: number,
    { session }: Who,
  ): Verdict {
    const { spending, rate, observe, freezeOnViolation, rules: compiled } = this.profile;
    const counted = compiled === null || rules === null ? undefined : countedRules(compiled, rules, session);
    const judgement = this.#counts.check(
      {
        ...{ violation, costMicros, spending, rate, observe, freezeOnViolation },
        ...(counted === undefined ? {} : { rules: counted }),
      },
      atMs,
    );
    const { ruleCounts, seen } = judgement;
    return {
      allowed: judgement.outcome === 'allowed',
      violation: judgement.violation,
      freezes: judgement.freezesAgent,
      ...(ruleCounts === undefined || seen === undefined ? {} : { ruleCounts, order: seen.order }),
    };
  }

  /** Counts a check that is not decided as it was counted. */
  count(counted: RecordedCounts, atMs: number): void {
    this.#counts.count(counted, atMs);
  }

  /** Gives back the spending that a check counted at `atMs`. */
  giveBack(costMicros: number, atMs: number): void {
    this.#counts.giveBack(costMicros, atMs);
  }

  /** Gives back amounts that checks held. */
  giveBackHeld(held: readonly HeldAmount[]): void {
    if (held.length > 0) this.#counts.giveBackHeld(held);
  }
}
