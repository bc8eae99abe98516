import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';
import type { BehaviorProfile } from '@countersign/contracts';
import { AddressAllowance, HttpRefusal } from '@countersign/http-edge';

/** Weight of an account's changes in a minute, at most: a change weighs 1, and a profile 1 for each KiB. */
const A_MINUTE = 1_200;
const KIBIBYTE = 1024;
const SECOND_MS = 1000;

export type ChangeBound = 'agents' | 'profile_bytes' | 'rate';

/** Bounds of the changes of one account on this instance: no account fills the log, the disk and the gateways of all. */
export class ChangeBounds {
  readonly #allowance: AddressAllowance;
  readonly #refused: Counter<'bound'>;

  /**
   * @param mostAgents that the account may have
   * @param now monotonic, ms
   */
  constructor(
    metrics: Registry,
    readonly mostAgents: (accountId: string) => Promise<number>,
    now: () => number = () => performance.now(),
  ) {
    this.#allowance = new AddressAllowance(A_MINUTE, now);
    this.#refused = new Counter({
      name: 'countersign_agent_changes_refused_total',
      help: 'Changes of agents and profiles that passed a bound of their account: agents, profile_bytes, rate',
      labelNames: ['bound'],
      registers: [metrics],
    });
  }

  refused(bound: ChangeBound): void {
    this.#refused.inc({ bound });
  }

  /**
   * Counts a change. Freezing is never counted.
   * @throws HttpRefusal 429
   */
  take(accountId: string, profile: BehaviorProfile | null): void {
    const weight = 1 + (profile === null ? 0 : Math.floor(JSON.stringify(profile).length / KIBIBYTE));
    const waitMs = this.#allowance.take(accountId, weight);
    if (waitMs === 0) return;
    this.refused('rate');
    const words = `this account changes its agents too often: ${A_MINUTE} changes a minute are the most, and a profile counts one more for each KiB`;
    throw new HttpRefusal(429, words, { 'Retry-After': String(Math.ceil(waitMs / SECOND_MS)) });
  }
}
