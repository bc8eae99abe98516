import { Deadlines, messageOf } from '@countersign/async';
import type { Timed } from '@countersign/async';
import type { Redis } from 'ioredis';
import { CountersUnavailable } from '../port.js';
import { redisConnection } from './connection.js';
import { RedisTime } from './redis-time.js';
import { LATE } from './replies.js';
import type { Script } from './script.js';
import { serverProblem, serverRun } from './server-info.js';
import { TickBatch } from './tick-batch.js';

/** Calls that are sent at a time; more would only wait. */
const MOST_OUTSTANDING = 10_000;
/** Silence after which the connection is reopened, ms. */
const SILENT_MS = 5_000;
const REBUILD_CALL_MS = 10_000;
const BEAT_MS = 200;

export interface RedisLinkOptions {
  readonly url: string;
  readonly deadlineMs: number;
  readonly now: () => number;
  readonly log: { warn(detail: object, words: string): void; info(detail: object, words: string): void };
}

/** Callbacks of a call: a reply, also after its deadline. */
export interface CallOptions {
  /** Called with a reply that came after the caller was refused for its deadline. */
  readonly late?: (reply: readonly unknown[]) => void;
  /** For the steps of a rebuild, which may take longer than a check. */
  readonly patient?: boolean;
}

/** A call to Redis that awaits its reply. */
interface WaitingCall extends Timed {
  over: boolean;
  /** Rejects it. */
  expire(): void;
}

/**
 * One connection to Redis on which scripts run. Nothing waits for a connection: while there is none, or while Redis
 * does not answer, calls reject at once with `CountersUnavailable`. A late reply rejects as well.
 */
export class RedisLink {
  readonly #redis: Redis;
  readonly #batch: TickBatch;
  readonly #options: RedisLinkOptions;
  readonly #deadlines: Deadlines<WaitingCall>;
  readonly #time = new RedisTime();
  readonly #loading = new Map<string, Promise<void>>();
  #outstanding = 0;
  #run: string | null = null;
  #problem: string | null = 'Redis is not connected yet';
  #lastError = '';
  #silentSince: number | null = null;
  #beat: NodeJS.Timeout | null = null;
  #beating = false;
  #closed = false;

  private constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.#deadlines = new Deadlines<WaitingCall>((due) => {
      for (const call of due) call.expire();
    }, options.now);
    this.#redis = redisConnection(options.url);
    this.#batch = new TickBatch(this.#redis);
    this.#redis.on('error', (error: Error) => {
      this.#lastError = error.message;
    });
    this.#redis.on('ready', () => void this.#connected());
    this.#redis.on('close', () => this.#disconnected());
  }

  /** Connects once. @throws CountersUnavailable when Redis cannot be reached or used */
  static async open(options: RedisLinkOptions): Promise<RedisLink> {
    const link = new RedisLink(options);
    try {
      await link.#redis.connect();
      await link.#connected();
    } catch (error) {
      const words = link.#lastError === '' ? String(error) : link.#lastError;
      link.#problem = `Redis cannot be reached: ${words}`;
    }
    if (link.#problem !== null) {
      const problem = link.#problem;
      await link.close();
      throw new CountersUnavailable(problem);
    }
    link.#beat = setInterval(() => void link.#heartbeat(), BEAT_MS);
    link.#beat.unref();
    return link;
  }

  /** The start of the connected server, by its run id; `null` without one. */
  get run(): string | null {
    return this.#run;
  }

  /** The reason why calls reject, or `null`. */
  problem(): string | null {
    return this.#problem;
  }

  /** Runs a script with `run`, deadline and test clock before its own arguments. Rejects with `CountersUnavailable`. */
  call(
    script: Script,
    keys: readonly string[],
    args: readonly (string | number)[],
    testClock: number | '',
    options: CallOptions = {},
  ): Promise<readonly unknown[]> {
    const run = this.#run;
    if (this.#problem !== null || run === null) return reject(this.#problem ?? 'Redis is not connected');
    if (this.#outstanding >= MOST_OUTSTANDING) return reject('too many calls wait for Redis');
    const waitMs = options.patient === true ? REBUILD_CALL_MS : this.#options.deadlineMs;
    const deadlineAt = this.#options.now() + waitMs;
    const parts = [keys.length, ...keys, run, this.#time.at(deadlineAt), testClock, ...args];
    this.#outstanding += 1;
    return new Promise((resolve, rejectCall) => {
      const call: WaitingCall = {
        deadlineAt,
        over: false,
        expire: () => {
          call.over = true;
          this.#silentSince ??= deadlineAt;
          const words = `Redis has not answered for ${waitMs} ms`;
          this.#problem ??= words;
          rejectCall(new CountersUnavailable(words));
        },
      };
      this.#deadlines.add(call);
      this.#send(script, parts).then(
        (reply) => {
          this.#outstanding -= 1;
          this.#heard();
          if (call.over) return options.late?.(reply);
          call.over = true;
          if (reply[0] === LATE) rejectCall(new CountersUnavailable('Redis came too late to this call'));
          else resolve(reply);
        },
        (error: unknown) => {
          this.#outstanding -= 1;
          if (call.over) return;
          call.over = true;
          rejectCall(this.#unavailable(error));
        },
      );
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#problem = 'the counters are closed';
    if (this.#beat !== null) clearInterval(this.#beat);
    this.#deadlines.stop();
    this.#redis.disconnect();
  }

  async #send(script: Script, parts: (string | number)[]): Promise<readonly unknown[]> {
    try {
      return (await this.#batch.evalsha(script.sha1, parts)) as unknown[];
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    }
    const run = this.#run;
    await this.#load(script);
    if (this.#run !== run) throw new Error('another start of Redis answers');
    return (await this.#batch.evalsha(script.sha1, parts)) as unknown[];
  }

  /** A server that lacks a script may have restarted behind an address that stayed open. */
  async #load(script: Script): Promise<void> {
    let loading = this.#loading.get(script.name);
    if (loading === undefined) {
      loading = this.#inspect()
        .then(() => this.#redis.script('LOAD', script.lua))
        .then(() => undefined)
        .finally(() => this.#loading.delete(script.name));
      this.#loading.set(script.name, loading);
    }
    await loading;
  }

  async #connected(): Promise<void> {
    try {
      await this.#inspect();
    } catch (error) {
      this.#problem = `Redis cannot be used: ${messageOf(error)}`;
    }
  }

  #disconnected(): void {
    this.#run = null;
    this.#time.forget();
    this.#silentSince = null;
    if (this.#closed) return;
    if (this.#problem === null) this.#options.log.warn({ error: this.#lastError }, 'the connection to Redis is lost');
    this.#problem = `Redis cannot be reached${this.#lastError === '' ? '' : `: ${this.#lastError}`}`;
  }

  /** Reads the identity of the server, whether it may be used, and its time. */
  async #inspect(): Promise<void> {
    const { now, log } = this.#options;
    const before = now();
    const [info, time] = await Promise.all([this.#redis.info(), this.#redis.time()]);
    const problem = serverProblem(info);
    if (this.#closed) return;
    const run = problem === null ? serverRun(info) : null;
    if (run !== null && this.#run !== null && run !== this.#run) log.warn({ run }, 'another start of Redis answers');
    if (run !== null && this.#problem !== null) log.info({ run }, 'Redis is connected');
    this.#run = run;
    this.#problem = problem;
    this.#silentSince = null;
    this.#time.follow(time, before, now());
  }

  /** Follows the time of Redis, and notices that it answers again. */
  async #heartbeat(): Promise<void> {
    const { now, log } = this.#options;
    if (this.#silentSince !== null && now() - this.#silentSince > SILENT_MS) {
      this.#silentSince = null;
      log.warn({}, 'Redis does not answer: the connection is reopened');
      this.#redis.disconnect(true);
      return;
    }
    if (this.#beating || this.#redis.status !== 'ready') return;
    this.#beating = true;
    await this.#followTime().catch(() => undefined);
    this.#beating = false;
  }

  async #followTime(): Promise<void> {
    const { now } = this.#options;
    const before = now();
    const [info, time] = await Promise.all([this.#redis.info('server'), this.#redis.time()]);
    this.#heard();
    if (this.#problem !== null || serverRun(info) !== this.#run) return this.#inspect();
    this.#time.follow(time, before, now());
  }

  #heard(): void {
    if (this.#silentSince === null) return;
    this.#silentSince = null;
    if (this.#run !== null) this.#problem = null;
  }

  #unavailable(error: unknown): CountersUnavailable {
    const words = messageOf(error);
    if (this.#problem === null) this.#options.log.warn({ error: words }, 'Redis refused a call of the counters');
    return new CountersUnavailable(`Redis refused: ${words}`, { cause: error });
  }
}

function reject(words: string): Promise<never> {
  return Promise.reject(new CountersUnavailable(words));
}
