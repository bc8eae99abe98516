import { BackgroundLoop } from '@countersign/async';
import { Counter, Gauge } from 'prom-client';
import type { ServiceContext } from '@countersign/service-kit';
import { disabled, type Destination } from '../domain/destination.js';
import { afterAttempt, messageId, newMessage, type Message } from '../domain/message.js';
import { closeSum } from '../domain/thread.js';
import type { AlertStore, Claim } from '../store/port.js';
import type { Carrier } from './carrier.js';

type DispatcherContext = Pick<ServiceContext, 'metrics' | 'log' | 'clock'>;

const EVERY_MS = 250;
/** Longer than any attempt: the claim of a crashed instance expires then, and another one retries. */
export const CLAIM_MS = 45_000;
/** Concurrent attempts, of up to ten seconds each: in total, and per account, so that slow receivers delay only their own account. */
const AT_ONCE = 128;
export const AT_ONCE_OF_ACCOUNT = 8;
const SUMS_AT_ONCE = 200;
const LOOK_AFTER_EVERY_MS = 5_000;
const THREADS_KEPT_MS = 24 * 3_600_000;
const MESSAGES_KEPT_MS = 30 * 24 * 3_600_000;

/**
 * Sends what is due: sums whose window has ended, then messages, the longest due first, one at a time per destination.
 * A message is settled after its attempt: if the process is killed in between, it is sent again with the same id.
 */
export class Dispatcher {
  readonly #context: DispatcherContext;
  readonly #store: AlertStore;
  readonly #carrier: Carrier;
  /** By destination. */
  readonly #busy = new Map<string, { readonly accountId: string; readonly sending: Promise<void> }>();
  readonly #attempts: Counter<'kind' | 'outcome'>;
  readonly #disabled: Counter;
  readonly #loop: BackgroundLoop;
  #stopped = false;
  #problem: string | null = null;
  #lookedAfterMs = 0;
  #backlog = { waiting: 0, lateSeconds: 0 };

  constructor(context: DispatcherContext, store: AlertStore, carrier: Carrier) {
    this.#context = context;
    this.#store = store;
    this.#carrier = carrier;
    this.#loop = new BackgroundLoop(
      () => this.#round(),
      (error) => {
        if (this.#problem === null) context.log.error({ err: error }, 'alerts cannot be sent: the store refuses');
        this.#problem = 'the store of alerts cannot be used';
        return EVERY_MS;
      },
    );
    const registers = [context.metrics];
    this.#attempts = new Counter({
      name: 'countersign_alert_deliveries_total',
      help: 'Attempts to deliver a message of alerts',
      labelNames: ['kind', 'outcome'],
      registers,
    });
    this.#disabled = new Counter({
      name: 'countersign_alert_destinations_disabled_total',
      help: 'Destinations of alerts that were disabled after failed attempts',
      registers,
    });
    const backlog = (): { readonly waiting: number; readonly lateSeconds: number } => this.#backlog;
    new Gauge({
      name: 'countersign_alert_messages_waiting',
      help: 'Messages of alerts that wait for their first or another attempt',
      registers,
      collect() {
        this.set(backlog().waiting);
      },
    });
    new Gauge({
      name: 'countersign_alert_oldest_due_seconds',
      help: 'How long the longest due message of alerts has been due',
      registers,
      collect() {
        this.set(backlog().lateSeconds);
      },
    });
  }

  start(): void {
    this.#loop.start(EVERY_MS);
  }

  /** Checks for due messages now, without waiting for the result. */
  wake(): void {
    this.#loop.poke();
  }

  /** Reason why nothing is sent, or `null`. */
  problem(): string | null {
    return this.#problem;
  }

  /** Resolves when the attempts in progress have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop.stop();
    await Promise.all([...this.#busy.values()].map(({ sending }) => sending));
  }

  async #round(): Promise<number> {
    const nowMs = this.#context.clock();
    await this.#store.closeSums(nowMs, SUMS_AT_ONCE, (thread) => closeSum(thread, this.#context.clock()));
    await this.#claimAll();
    await this.#lookAfter(nowMs);
    this.#problem = null;
    return EVERY_MS;
  }

  async #claimAll(): Promise<void> {
    while (!this.#stopped && this.#busy.size < AT_ONCE) {
      const nowMs = this.#context.clock();
      const claim = await this.#store.claim(nowMs, nowMs + CLAIM_MS, await this.#notNow());
      if (claim === null) return;
      const { accountId, destinationId } = claim.message;
      const sending = this.#deliver(claim)
        .catch((error: unknown) => this.#context.log.error({ err: error }, 'an alert stays claimed, and is sent again'))
        .finally(() => {
          this.#busy.delete(destinationId);
          this.wake();
        });
      this.#busy.set(destinationId, { accountId, sending });
    }
  }

  /** Busy destinations, and all destinations of an account at its limit. */
  async #notNow(): Promise<readonly string[]> {
    const shares = new Map<string, number>();
    for (const { accountId } of this.#busy.values()) shares.set(accountId, (shares.get(accountId) ?? 0) + 1);
    const full = [...shares].filter(([, share]) => share >= AT_ONCE_OF_ACCOUNT);
    const theirs = await Promise.all(full.map(([accountId]) => this.#store.destinations(accountId)));
    return [...new Set([...this.#busy.keys(), ...theirs.flat().map(({ id }) => id)])];
  }

  async #deliver({ message, token }: Claim): Promise<void> {
    const destination = await this.#store.destination(message.destinationId);
    if (destination === null || !destination.enabled) {
      await this.#store.settle(token, { ...message, state: 'cancelled', dueAtMs: null });
      return;
    }
    const { status, error } = await this.#carrier.carry(destination, message.id, message.body);
    const nowMs = this.#context.clock();
    const at = new Date(nowMs).toISOString();
    const { message: after, exhausted } = afterAttempt(message, { at, status, error }, nowMs);
    this.#attempts.inc({ kind: destination.kind, outcome: after.state === 'waiting' ? 'retry' : after.state });
    if (exhausted) await this.#disable(destination, message, error ?? '', at, nowMs);
    await this.#store.settle(token, after);
  }

  /** Stores the notices first, which are the same when repeated, then the destination; the caller settles its message last. */
  async #disable(destination: Destination, message: Message, why: string, at: string, nowMs: number): Promise<void> {
    const reason = `a message was not taken after its last try: ${why}`;
    const { id, accountId, kind } = destination;
    const others = await this.#store.enabledDestinations([accountId]);
    const content = { type: 'destination.disabled', timestamp: at, data: { id, kind, reason } };
    await this.#store.addMessages(
      others
        .filter((other) => other.id !== id)
        .map((other) =>
          newMessage({ accountId, destinationId: other.id }, messageId(other.id, id, message.id), content, 0, nowMs),
        ),
    );
    if (!(await this.#store.replaceDestination(disabled(destination, reason, at)))) return;
    this.#disabled.inc();
    this.#context.log.warn({ destination: id, kind, reason }, 'a destination of alerts was disabled');
  }

  async #lookAfter(nowMs: number): Promise<void> {
    if (nowMs - this.#lookedAfterMs < LOOK_AFTER_EVERY_MS) return;
    this.#lookedAfterMs = nowMs;
    const { waiting, oldestDueMs } = await this.#store.backlog();
    this.#backlog = { waiting, lateSeconds: oldestDueMs === null ? 0 : Math.max(0, nowMs - oldestDueMs) / 1000 };
    await this.#store.forget(nowMs - THREADS_KEPT_MS, nowMs - MESSAGES_KEPT_MS);
  }
}
