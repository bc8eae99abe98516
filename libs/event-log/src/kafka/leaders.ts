import { setTimeout as delay } from 'node:timers/promises';
import type { BrokerAccess } from './access.js';
import type { ClusterView } from './cluster-view.js';
import { Links } from './link.js';
import type { OwnRequest } from './requests.js';
import type { WriteLane } from './write-lane.js';

/** A broker that is silent for this long loses its connection, ms. */
const SILENCE_MS = 5000;
const PROBE_MS = 1500;
const LONGEST_PAUSE_MS = 500;

interface Leader {
  outstanding: number;
  /** `performance.now()` of the oldest unanswered request. */
  oldestMs: number;
  blocked: string | null;
  recovering: boolean;
}

/** The brokers that take appends: tracks which of them answer, and reconnects to those that do not. */
export class Leaders {
  readonly #cluster: ClusterView;
  readonly #links: Links;
  readonly #sendTimeoutMs: number;
  readonly #silenceMs: number;
  readonly #recovered: () => void;
  readonly #leaders = new Map<string, Leader>();
  #closed = false;

  constructor(cluster: ClusterView, access: BrokerAccess, sendTimeoutMs: number, recovered: () => void) {
    this.#cluster = cluster;
    this.#links = new Links(access);
    this.#sendTimeoutMs = sendTimeoutMs;
    this.#silenceMs = Math.max(SILENCE_MS, 2 * sendTimeoutMs);
    this.#recovered = recovered;
    cluster.onRefresh(() => this.#giveUp());
  }

  /**
   * Reports whether a request may be sent now: the broker answers, and fewer than `outstanding` requests are pending.
   */
  takes(address: string, outstanding: number): boolean {
    const leader = this.#leaders.get(address);
    return leader === undefined || (leader.blocked === null && leader.outstanding < outstanding);
  }

  async send<T>(address: string, request: OwnRequest<T>): Promise<T> {
    const leader = this.#of(address);
    if (leader.outstanding++ === 0) leader.oldestMs = performance.now();
    try {
      const answer = await this.#links.to(address).send(request, this.#silenceMs);
      leader.oldestMs = performance.now();
      leader.blocked = null;
      return answer;
    } catch (error) {
      this.#block(address, leader, (error as Error).message);
      throw error;
    } finally {
      leader.outstanding--;
    }
  }

  /** Why this partition accepts nothing now, or `null`. */
  blocked(lane: WriteLane): string | null {
    const address = this.#cluster.leader(lane.name, lane.partition);
    if (address === null) return this.#cluster.problem();
    return this.#leaders.get(address)?.blocked ?? null;
  }

  /** Why no partition accepts anything, or `null`. */
  refusing(): string | null {
    if (this.#cluster.problem() !== null) return this.#cluster.problem();
    const reasons = this.#cluster.brokers().map((address) => this.#leaders.get(address)?.blocked ?? null);
    return reasons.every((reason) => reason !== null) ? reasons.join('; ') : null;
  }

  /** After a passed deadline: probes the brokers with pending answers. */
  suspect(): void {
    const now = performance.now();
    for (const [address, leader] of this.#leaders) {
      const silentMs = now - leader.oldestMs;
      if (leader.outstanding === 0 || silentMs < this.#sendTimeoutMs * 0.9) continue;
      this.#block(address, leader, `Kafka broker ${address} has not answered for ${Math.round(silentMs)} ms`);
    }
  }

  close(): void {
    this.#closed = true;
    this.#links.close();
  }

  /** Requests to a broker that left the cluster go to its successors at once, without waiting for its silence. */
  #giveUp(): void {
    const known = this.#cluster.brokers();
    for (const [address, { outstanding }] of this.#leaders) {
      if (outstanding === 0 || known.includes(address)) continue;
      this.#links.to(address).reset(`the cluster has given up Kafka broker ${address}`);
    }
  }

  #of(address: string): Leader {
    let leader = this.#leaders.get(address);
    if (leader === undefined) {
      leader = { outstanding: 0, oldestMs: 0, blocked: null, recovering: false };
      this.#leaders.set(address, leader);
    }
    return leader;
  }

  #block(address: string, leader: Leader, reason: string): void {
    leader.blocked = reason;
    if (leader.recovering || this.#closed) return;
    leader.recovering = true;
    void this.#recover(address, leader).finally(() => {
      leader.recovering = false;
    });
  }

  /** Probes until an answer comes. It comes on the connection of the appends, after the pending requests there. */
  async #recover(address: string, leader: Leader): Promise<void> {
    let pause = 20;
    while (leader.blocked !== null && !this.#closed) {
      try {
        await this.#links.to(address).ask('ApiVersions', {}, Math.max(PROBE_MS, this.#silenceMs));
        await this.#cluster.refresh();
        leader.blocked = null;
        leader.oldestMs = performance.now();
      } catch (error) {
        leader.blocked = (error as Error).message;
        await this.#cluster.refresh().catch(() => undefined);
        if (!this.#cluster.brokers().includes(address)) return this.#gone(address);
        await delay(pause, undefined, { ref: false });
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      }
    }
    if (!this.#closed) this.#recovered();
  }

  #gone(address: string): void {
    this.#leaders.delete(address);
    this.#recovered();
  }
}
