import { randomBytes } from 'node:crypto';
import { CountersUnavailable } from '../port.js';
import type { ClaimBounds } from '../port.js';
import type { Keys } from './keys.js';
import type { CallOptions } from './redis-link.js';
import { DONE } from './replies.js';
import { SCRIPTS } from './script.js';
import type { Script } from './script.js';

/** Runs a script and returns its reply; rejects with `CountersUnavailable`. */
export type RunScript = (
  script: Script,
  keys: readonly string[],
  args: readonly (string | number)[],
  options?: CallOptions,
) => Promise<readonly unknown[]>;

/** Time for which the lease outlives its holder, ms. */
const LEASE_MS = 10_000;
const RENEW_MS = 3_000;
/** Maximum time to read the log between two portions. */
const MOST_BETWEEN_MS = 120_000;
const PATIENT = { patient: true } as const;
/** Reply of `BEGIN` when there is nothing to rebuild. */
const SERVES = 3;

const PASSED = 'the lease of the rebuild has passed to another';

/**
 * One rebuild at a time, by any gateway: the lease is a key with an expiry and the token of its holder, which every
 * step of the rebuild compares in Redis. A holder that was paused and lost the lease has no further effect.
 */
export class RedisRebuildLease {
  readonly #run: RunScript;
  readonly #keys: Keys;
  readonly #bounds: ClaimBounds;
  readonly #token = randomBytes(12).toString('hex');
  #held: 'no' | 'mine' | 'lost' = 'no';
  #renew: NodeJS.Timeout | null = null;
  #putAt = 0;
  #closed = false;

  constructor(run: RunScript, keys: Keys, bounds: ClaimBounds) {
    this.#run = run;
    this.#keys = keys;
    this.#bounds = bounds;
  }

  /** @param fromZero drops all earlier counts */
  async begin(fromZero: boolean): Promise<'mine' | 'another' | 'serving'> {
    const { state, lease } = this.#keys;
    const generation = randomBytes(4).toString('hex');
    const args = [this.#token, LEASE_MS, fromZero ? 1 : 0, generation];
    const [done] = await this.#run(SCRIPTS.begin, [state, lease], args, PATIENT);
    if (done !== DONE || this.#closed) return done === SERVES ? 'serving' : 'another';
    this.#held = 'mine';
    this.#putAt = performance.now();
    this.#renew ??= setInterval(() => this.#renewLease(), RENEW_MS);
    return 'mine';
  }

  /** Takes the lease and drops nothing, unless it is held. `true` when it was taken now. */
  async need(): Promise<boolean> {
    if (this.#held === 'mine') return false;
    if (this.#held === 'lost' || (await this.begin(false)) !== 'mine') throw new CountersUnavailable(PASSED);
    return true;
  }

  /** @param rows JSON for `RESTORE` or `REPLAY` */
  async put(script: Script, rows: string): Promise<void> {
    await this.need();
    this.#putAt = performance.now();
    await this.#step(script, [LEASE_MS, rows, this.#bounds.all, this.#bounds.account]);
  }

  async serve(): Promise<void> {
    await this.need();
    await this.#step(SCRIPTS.serve, [LEASE_MS]);
    this.#end('no');
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.abandon();
  }

  async abandon(): Promise<void> {
    const held = this.#held;
    this.#end('no');
    const { state, lease } = this.#keys;
    if (held === 'mine') await this.#run(SCRIPTS.giveUp, [state, lease], [this.#token], PATIENT);
  }

  async #step(script: Script, args: readonly (string | number)[]): Promise<void> {
    const { state, lease } = this.#keys;
    const [done] = await this.#run(script, [state, lease], [this.#token, ...args], PATIENT);
    if (done === DONE) return;
    this.#end('lost');
    throw new CountersUnavailable(PASSED);
  }

  #renewLease(): void {
    if (performance.now() - this.#putAt > MOST_BETWEEN_MS) return this.#end('lost');
    this.#step(SCRIPTS.restore, [LEASE_MS, '[]', this.#bounds.all, this.#bounds.account]).catch(() => undefined);
  }

  #end(held: 'no' | 'lost'): void {
    this.#held = held;
    if (this.#renew !== null) clearInterval(this.#renew);
    this.#renew = null;
  }
}
