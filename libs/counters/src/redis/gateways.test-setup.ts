import { setTimeout as sleep } from 'node:timers/promises';
import { tripOf } from '../counters.contract.js';
import { CLAIM_BOUNDS, CountersUnavailable } from '../port.js';
import type { CountedEvent, Counters } from '../port.js';
import { connectRedisCounters } from './connect.js';

export const DEADLINE_MS = 250;
const SETTLE_MS = 400;
const silent = { info: () => undefined, warn: () => undefined };

/** Gateways that share counters and a log; each appends its judgements with a delay and rebuilds when necessary. */
export class Gateways {
  /** The durable events. */
  readonly log: CountedEvent[] = [];
  readonly answers = new Map<string, number>();
  counters: readonly Counters[] = [];
  rebuilds = 0;
  slowestMs = 0;
  #timers: NodeJS.Timeout[] = [];
  #running = false;
  #loops: Promise<void>[] = [];

  constructor(private readonly url: string) {}

  async open(count: number): Promise<void> {
    const connect = () =>
      connectRedisCounters({
        url: this.url,
        prefix: 'faults:',
        log: silent,
        deadlineMs: DEADLINE_MS,
        settleMs: SETTLE_MS,
        claimBounds: CLAIM_BOUNDS,
        testClock: null,
      });
    this.counters = await Promise.all(Array.from({ length: count }, connect));
    for (const counters of this.counters) {
      let busy = false;
      const keep = async () => {
        if (busy || counters.unavailable() === null) return;
        busy = true;
        await this.#rebuild(counters).catch((error: unknown) => {
          if (!(error instanceof CountersUnavailable)) throw error;
        });
        busy = false;
      };
      this.#timers.push(setInterval(() => void keep(), 50));
    }
    await this.serving();
  }

  /** Starts continuous checks: eight at a time per gateway. */
  load(): void {
    this.#running = true;
    this.#loops = this.counters.flatMap((counters) => Array.from({ length: 8 }, () => this.#loop(counters)));
  }

  async idle(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#loops);
  }

  /** Waits until all of them serve. */
  async serving(): Promise<void> {
    for (let tries = 0; tries < 400; tries += 1) {
      if (this.counters.every((counters) => counters.unavailable() === null)) return;
      await sleep(25);
    }
    throw new Error(`they do not serve: ${this.counters.map((counters) => counters.unavailable()).join('; ')}`);
  }

  /** Actions of account and micro-dollars of agent in the counters in excess of the log. */
  async tooMuch(): Promise<readonly [number, number]> {
    const counters = this.counters[0]!;
    const { actionsEver } = await counters.usage('account');
    const spent = await spentBy(counters, 'agent');
    const cost = this.log.reduce((sum, event) => sum + event.costMicros, 0);
    return [actionsEver - this.log.length, spent - cost];
  }

  async close(): Promise<void> {
    this.#running = false;
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.allSettled(this.#loops);
    await Promise.all(this.counters.map((counters) => counters.close()));
  }

  async #loop(counters: Counters): Promise<void> {
    while (this.#running) {
      const trip = tripOf({ costMicros: 3, rate: { max: 100_000, per_seconds: 3600 } });
      const begun = performance.now();
      const result = await counters.check(trip);
      this.slowestMs = Math.max(this.slowestMs, performance.now() - begun);
      this.answers.set(result.kind, (this.answers.get(result.kind) ?? 0) + 1);
      if (result.kind !== 'judged') {
        await sleep(5);
        continue;
      }
      await sleep(Math.random() * 20);
      const { nowMs, costMicros, countsAction, countsRate, freezesAgent, entropy } = result.judgement;
      this.log.push({
        partition: 0,
        offset: this.log.length,
        accountId: trip.accountId,
        agentId: trip.agentId,
        eventId: entropy,
        occurredAtMs: nowMs,
        countsAction,
        countsRate,
        costMicros,
        freezesAgent,
        idempotency: null,
      });
    }
  }

  async #rebuild(counters: Counters): Promise<void> {
    const lease = await counters.beginRebuild();
    if (lease === null) return;
    await counters.restore({ accounts: [], agents: [], claims: [], versions: [] });
    await counters.replay([...this.log]);
    await sleep(lease.settleMs);
    await counters.replay([...this.log]);
    await counters.serve();
    this.rebuilds += 1;
  }
}

/** From the text of a denial, which counts nothing towards spending. */
async function spentBy(counters: Counters, agentId: string): Promise<number> {
  const spending = { limitMicros: 0, window: 'day' } as const;
  const result = await counters.check(tripOf({ accountId: 'asks', agentId, costMicros: 1, spending }));
  if (result.kind !== 'judged') throw new Error(result.kind);
  const dollars = /, ([0-9.]+) USD already/.exec(result.judgement.violation?.detail ?? '')?.[1];
  return Math.round(Number(dollars) * 1e6);
}
