import { randomUUID } from 'node:crypto';
import { BackgroundLoop, messageOf, Semaphore } from '@countersign/async';
import type { EventArchive } from '@countersign/contracts';
import type { ServiceContext } from '@countersign/service-kit';
import type { AgentHeads } from './agent-heads.js';
import { KINDS } from './kinds/kinds.js';
import { unsent, type SendBatch } from './send-batch.js';
import { pauseAfter, type Stream } from './stream.js';
import { StreamMetrics } from './stream-metrics.js';
import { StreamReader } from './stream-reader.js';
import type { StreamCursor, StreamError, StreamState, StreamStore } from './stream-store.js';

type DispatcherContext = Pick<ServiceContext, 'metrics' | 'log' | 'clock'>;

/** How often due streams are looked for, and how often streams that were made or removed by other instances. */
const EVERY_MS = 250;
const LOOK_EVERY_MS = 2_000;
/** Longer than any attempt with its reads: another instance goes on where this one ended. */
const LEASE_MS = 60_000;
const RENEW_MS = 10_000;
const AT_ONCE = 128;
/** Batches of a stream before others have their turn, and streams of an account that have one at a time. */
const BATCHES = 2;
const AT_ONCE_OF_ACCOUNT = 8;
/** Of these, streams whose last attempt failed, so that receivers that do not answer in time leave room for others. */
const FAILING_AT_ONCE = AT_ONCE / 2;
const FAILING_AT_ONCE_OF_ACCOUNT = AT_ONCE_OF_ACCOUNT / 2;

interface Followed {
  stream: Stream;
  version: number;
  state: StreamState;
  readonly reader: StreamReader;
  /** Its account has events that were not looked at. */
  isDirty: boolean;
  /** It was switched off or removed: its turn ends with the batch that is being sent. */
  isOff: boolean;
  dueMs: number;
  running: Promise<void> | null;
}

/**
 * Delivers streams: one instance each, by lease. A batch is read from the archive, sent, and then the cursors are saved: a
 * process that is killed in between sends it again. A stream that fails waits by itself, and neither reads nor sends.
 */
export class StreamDispatcher {
  readonly #context: DispatcherContext;
  readonly #store: StreamStore;
  readonly #heads: AgentHeads;
  readonly #archive: () => Pick<EventArchive, 'range' | 'span'> | null;
  readonly #send: SendBatch;
  readonly #owner = randomUUID();
  /** The stream whose last turn is longest ago is first. */
  readonly #followed = new Map<string, Followed>();
  readonly #atOnce = new Semaphore(AT_ONCE);
  readonly #metrics: StreamMetrics;
  readonly #loop: BackgroundLoop;
  #lookMs = 0;
  #stopped = false;
  #problem: string | null = null;

  /** @param archive `null`: it is not there yet */
  constructor(
    context: DispatcherContext,
    store: StreamStore,
    heads: AgentHeads,
    archive: () => Pick<EventArchive, 'range' | 'span'> | null,
    send: SendBatch,
  ) {
    this.#context = context;
    this.#store = store;
    this.#heads = heads;
    this.#archive = archive;
    this.#send = send;
    this.#metrics = new StreamMetrics(context.metrics, () => this.#lags());
    this.#loop = new BackgroundLoop(
      () => this.#round(),
      (error) => {
        if (this.#problem === null) context.log.error({ err: error }, 'streams cannot be delivered: the store refuses');
        this.#problem = 'the store of streams cannot be used';
        return EVERY_MS;
      },
    );
    heads.onMove((accountId) => {
      for (const followed of this.#followed.values()) {
        if (followed.stream.accountId === accountId) followed.isDirty = true;
      }
    });
  }

  start(): void {
    this.#loop.start(EVERY_MS);
  }

  /** Looks for streams that were made or changed, now. */
  wake(): void {
    this.#lookMs = 0;
    this.#loop.poke();
  }

  /** Why nothing is delivered; `null`: the streams are. */
  problem(): string | null {
    return this.#problem ?? this.#heads.problem();
  }

  /** How far a stream is behind, if this instance delivers it. */
  lagOf(streamId: string): StreamState | null {
    const followed = this.#followed.get(streamId);
    return followed === undefined ? null : this.#stateNow(followed);
  }

  /** Resolves when the attempts in progress have ended; the streams are free for other instances. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop.stop();
    await Promise.all([...this.#followed.values()].flatMap(({ running }) => running ?? []));
    for (const followed of this.#followed.values()) {
      await this.#store
        .save(followed.version, { ...this.#stateNow(followed), lease: null }, [])
        .catch((error: unknown) => this.#context.log.warn({ err: error }, 'the lease of a stream ends by itself'));
    }
  }

  async #round(): Promise<number> {
    const nowMs = this.#context.clock();
    if (nowMs - this.#lookMs >= LOOK_EVERY_MS || nowMs < this.#lookMs) {
      this.#lookMs = nowMs;
      await this.#look(nowMs);
    }
    this.#begin(nowMs);
    this.#problem = null;
    return EVERY_MS;
  }

  /** Gives streams that are due their turn. Those whose last turn is longest ago are first: none waits for ever. */
  #begin(nowMs: number): void {
    const running = new RunningTurns();
    const all = [...this.#followed.values()];
    for (const followed of all) {
      if (followed.running !== null) running.add(followed);
    }
    for (const followed of all) {
      if (followed.running !== null || followed.isOff || !followed.isDirty || followed.dueMs > nowMs) continue;
      if (!running.hasRoomFor(followed)) continue;
      running.add(followed);
      this.#followed.delete(followed.stream.id);
      this.#followed.set(followed.stream.id, followed);
      followed.running = this.#atOnce
        .run(() => this.#run(followed))
        .catch((error: unknown) => this.#dropped(followed, error))
        .finally(() => {
          followed.running = null;
        });
    }
  }

  /** Takes up streams that no instance delivers, and changes of those that it delivers. */
  async #look(nowMs: number): Promise<void> {
    const streams = new Map((await this.#store.enabled()).map((stream) => [stream.id, stream]));
    for (const [id, followed] of this.#followed) {
      const stream = streams.get(id);
      followed.isOff = stream === undefined;
      if (stream === undefined) await this.#release(followed);
      else if (stream.revision !== followed.stream.revision) {
        followed.stream = stream;
        followed.dueMs = 0;
      }
      if (stream !== undefined && followed.running === null) await this.#renew(followed, nowMs);
    }
    const free = [...streams.values()].filter(({ id }) => !this.#followed.has(id));
    if (free.length === 0) return;
    const states = await this.#store.states(free.map(({ id }) => id));
    for (const stream of free) {
      const lease = states.get(stream.id)?.lease ?? null;
      if (lease !== null && lease.owner !== this.#owner && lease.untilMs > nowMs) continue;
      const leased = await this.#store.lease(stream.id, this.#owner, nowMs, nowMs + LEASE_MS);
      if (leased === null) continue;
      const { version, state, cursors } = leased;
      const reader = new StreamReader(cursors);
      const followed = { stream, version, state, reader, isDirty: true, isOff: false, dueMs: 0, running: null };
      this.#followed.set(stream.id, followed);
    }
  }

  async #release(followed: Followed): Promise<void> {
    if (followed.running !== null) return;
    this.#followed.delete(followed.stream.id);
    await this.#store.save(followed.version, { ...this.#stateNow(followed), lease: null }, []);
  }

  async #renew(followed: Followed, nowMs: number): Promise<void> {
    if ((followed.state.lease?.untilMs ?? 0) - nowMs > LEASE_MS - RENEW_MS) return;
    await this.#save(followed, {}, []);
  }

  async #run(followed: Followed): Promise<void> {
    for (let batches = 0; batches < BATCHES && !this.#stopped && !followed.isOff; batches += 1) {
      const archive = this.#archive();
      if (archive === null) return this.#failed(followed, null, 'the archive is not reachable');
      // Before the heads are read: events that come from here on make it dirty again.
      followed.isDirty = false;
      const planned = followed.state.planned ?? null;
      const heads = planned === null ? this.#heads.of(followed.stream.accountId) : endsOf(planned);
      let batch;
      try {
        batch = await followed.reader.next(followed.stream, heads, archive);
      } catch (error) {
        this.#context.log.error({ err: error, stream: followed.stream.id }, 'a stream cannot read the archive');
        return this.#failed(followed, null, 'the archive cannot be read');
      }
      const { records, cursors } = batch;
      if (cursors.length === 0 && planned !== null) {
        // All of it is delivered: what follows is read by the heads again.
        if (!(await this.#save(followed, { planned: null }, []))) return;
        followed.isDirty = true;
        continue;
      }
      if (cursors.length === 0) {
        if (followed.state.pendingSinceMs !== null) await this.#save(followed, { pendingSinceMs: null }, []);
        return;
      }
      if (followed.state.pendingSinceMs === null) {
        followed.state = { ...followed.state, pendingSinceMs: this.#context.clock() };
      }
      followed.isDirty = true;
      let delivery: Partial<StreamState> = planned === null ? {} : { planned: null };
      if (records.length > 0) {
        const { stream } = followed;
        if (KINDS[stream.kind].repeatsBatches === true) {
          const plan = cursors.map(({ agentId, sequence }) => ({ agentId, sequence }));
          if (planned === null && !(await this.#save(followed, { planned: plan }, []))) return;
          delivery = { planned: null };
        }
        const sent = await this.#send(stream, records).catch(unsent(this.#context.log, stream));
        this.#metrics.attempted(stream.kind, sent.error === null, records.length);
        if (sent.error !== null) return this.#failed(followed, sent.status, sent.error, sent.retryAfterMs ?? 0);
        const lastDeliveredAt = new Date(this.#context.clock()).toISOString();
        delivery = { ...delivery, lastDeliveredAt, lastError: null, failures: 0 };
      }
      if (!(await this.#save(followed, delivery, cursors))) return;
    }
  }

  async #failed(followed: Followed, status: number | null, message: string, askedMs = 0): Promise<void> {
    const nowMs = this.#context.clock();
    const failures = followed.state.failures + 1;
    followed.isDirty = true;
    followed.dueMs = nowMs + pauseAfter(failures, askedMs);
    const lastError: StreamError = { at: new Date(nowMs).toISOString(), status, message };
    if (failures === 1) this.#context.log.warn({ stream: followed.stream.id, message }, 'a stream does not deliver');
    const pendingSinceMs = followed.state.pendingSinceMs ?? nowMs;
    await this.#save(followed, { failures, lastError, pendingSinceMs }, []);
  }

  /** `false`: another instance has the stream, or it was removed. */
  async #save(followed: Followed, change: Partial<StreamState>, cursors: readonly StreamCursor[]): Promise<boolean> {
    const lease = { owner: this.#owner, untilMs: this.#context.clock() + LEASE_MS };
    const state = { ...this.#stateNow(followed), ...change, lease };
    const version = await this.#store.save(followed.version, state, cursors);
    if (version === null) {
      this.#followed.delete(followed.stream.id);
      return false;
    }
    followed.reader.delivered(cursors);
    followed.version = version;
    followed.state = state;
    return true;
  }

  /** The last save may have taken effect: the stream is leased again, from what is stored. */
  #dropped(followed: Followed, error: unknown): void {
    this.#context.log.error({ err: error, stream: followed.stream.id }, `a stream goes on later: ${messageOf(error)}`);
    this.#followed.delete(followed.stream.id);
  }

  #stateNow({ state, stream, reader }: Followed): StreamState {
    return { ...state, pending: reader.pending(this.#heads.of(stream.accountId)) };
  }

  *#lags(): IterableIterator<{ readonly kind: string; readonly events: number; readonly seconds: number }> {
    const nowMs = this.#context.clock();
    for (const followed of this.#followed.values()) {
      const { pending, pendingSinceMs } = this.#stateNow(followed);
      const seconds = pendingSinceMs === null ? 0 : Math.max(0, nowMs - pendingSinceMs) / 1000;
      yield { kind: followed.stream.kind, events: pending, seconds };
    }
  }
}

/** Turns in progress, by account, and those of streams that fail. */
class RunningTurns {
  readonly #ofAccount = new Map<string, { all: number; failing: number }>();
  #failing = 0;

  add({ stream: { accountId }, state: { failures } }: Followed): void {
    const { all, failing } = this.#of(accountId);
    const more = failures > 0 ? 1 : 0;
    this.#failing += more;
    this.#ofAccount.set(accountId, { all: all + 1, failing: failing + more });
  }

  hasRoomFor({ stream: { accountId }, state: { failures } }: Followed): boolean {
    const { all, failing } = this.#of(accountId);
    if (all >= AT_ONCE_OF_ACCOUNT) return false;
    return failures === 0 || (this.#failing < FAILING_AT_ONCE && failing < FAILING_AT_ONCE_OF_ACCOUNT);
  }

  #of(accountId: string): { readonly all: number; readonly failing: number } {
    return this.#ofAccount.get(accountId) ?? { all: 0, failing: 0 };
  }
}

function endsOf(planned: NonNullable<StreamState['planned']>): ReadonlyMap<string, number> {
  return new Map(planned.map(({ agentId, sequence }) => [agentId, sequence]));
}
