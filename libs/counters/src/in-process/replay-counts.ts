import { CLAIM_BOUNDS, RULE_BOUNDS } from '../port.js';
import type { HeldAmount, RuleCounts } from '@countersign/contracts';
import type { CheckTrip, Judgement } from '../port.js';
import { replayRules } from './rebuild.js';
import { CountersState } from './state.js';

/** The part of a check that the judgement of rules, spending, rate and limits uses. */
export type ReplayedCheck = Pick<
  CheckTrip,
  'violation' | 'costMicros' | 'spending' | 'rate' | 'rules' | 'observe' | 'freezeOnViolation'
>;

/** The counts of a check, as its event has them. */
export interface RecordedCounts extends Pick<Judgement, 'costMicros' | 'countsRate'> {
  /** Its position among the checks of the agent. */
  readonly order?: number;
  readonly ruleCounts?: RuleCounts;
}

const AGENT = 'agent';
/** No plan, no freeze, no key, no stale version: the judgement depends on the policy alone. */
const POLICY_ALONE = {
  accountId: 'account',
  agentId: AGENT,
  apiKeyId: 'key',
  versions: { account: 0, apiKey: 0, agent: 0 },
  plan: { plan: 'enterprise', actionCap: null, sandboxExpiresAtMs: null },
  profileVersion: 0,
  frozen: false,
  idempotency: null,
  entropy: '',
  actionSalt: '',
  payloadSalt: null,
} as const;

/**
 * Spending, rate, facts and limits of one agent whose checks are judged at times that the caller passes, in the order of the calls. It
 * is the state machine of the gateways' counters, so it judges as a gateway would have.
 */
export class ReplayCounts {
  readonly #state = new CountersState(CLAIM_BOUNDS, RULE_BOUNDS);

  /** Counts what a check counted, without judging it. */
  count(counted: RecordedCounts, atMs: number): void {
    const agent = this.#state.agent(AGENT);
    if (counted.costMicros > 0) agent.spend(counted.costMicros, atMs);
    if (counted.countsRate) agent.countRate(atMs);
    const { order, ruleCounts } = counted;
    if (order === undefined || ruleCounts === undefined) return;
    replayRules(this.#state, { agentId: AGENT, occurredAtMs: atMs, ruleCounts }, order, atMs);
  }

  /** Returns amounts that a check held to their windows. */
  giveBackHeld(held: readonly HeldAmount[]): void {
    this.#state.giveBackHeld(AGENT, held);
  }

  /** Credits what a check counted towards spending at `atMs`. */
  giveBack(costMicros: number, atMs: number): void {
    this.#state.agent(AGENT).takeBackSpending(costMicros, atMs);
  }

  /** Judges a check and counts it as {@link CheckTrip} is judged and counted. Its outcome is `allowed` or `denied`. */
  check(check: ReplayedCheck, atMs: number): Judgement {
    const result = this.#state.check({ ...POLICY_ALONE, ...check }, atMs);
    if (result.kind !== 'judged') throw new Error(`a replayed check came out as ${result.kind}`);
    return result.judgement;
  }
}
