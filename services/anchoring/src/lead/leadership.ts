import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@countersign/async';
import type { Logger } from 'pino';
import type { ConsumptionSessions } from '@countersign/service-kit';
import { LeadEnded, type AnchorStore, type Lead } from '../store/port.js';

const RETRY_MS = 1_000;
/** A lead that is given sooner needs no word. */
const STANDBY_MS = 1_000;
/** Work of a leader ends within this time. */
const ENDS_WITHIN_MS = 10_000;

/** The work of an instance while it leads. */
export interface Active {
  /** @throws why it may not begin: it is stopped, and the lead asked for again */
  begin(): Promise<void>;
  problems(): readonly string[];
  stop(): Promise<void>;
}

/**
 * Waits for the lead, does the work of a leader until the lead is over, and waits again. An instance that has lost the lead can
 * write nothing, so it need not hurry to stop; it stops before it asks for the lead again.
 */
export class Leadership<T extends Active> {
  readonly #store: Pick<AnchorStore, 'lead'>;
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  readonly #activate: () => T;
  readonly #stopping = new AbortController();
  readonly #run: Promise<void>;
  #active: T | null = null;
  #sessions: ConsumptionSessions | null = null;
  #problem: string | null = null;

  /** @param activate called each time this instance begins to lead */
  constructor(store: Pick<AnchorStore, 'lead'>, log: Pick<Logger, 'info' | 'warn'>, activate: () => T) {
    this.#store = store;
    this.#log = log;
    this.#activate = activate;
    this.#run = this.#waitAndLead();
  }

  /** @throws LeadEnded */
  get active(): T {
    if (this.#active === null) throw new LeadEnded('this instance does not lead');
    return this.#active;
  }

  get leads(): boolean {
    return this.#active !== null;
  }

  /** Consumes while it leads. @throws what the consumption rejects with, when it leads already */
  async consumeBy(sessions: ConsumptionSessions): Promise<void> {
    this.#sessions = sessions;
    if (this.#active !== null) await sessions.begin();
  }

  /** Why it cannot lead, or does not do what a leader does. A standby is in order: it serves proofs, and takes over. */
  problems(): readonly string[] {
    if (this.#active !== null) return this.#active.problems();
    return this.#problem === null ? [] : [this.#problem];
  }

  /** A process that ends does not wait for ever: whatever of a leader has not ended by then can write nothing more. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the service stops'));
    const waiting = new AbortController();
    await Promise.race([
      this.#run,
      sleep(2 * ENDS_WITHIN_MS, undefined, { signal: waiting.signal }).catch(() => undefined),
    ]);
    waiting.abort();
  }

  async #waitAndLead(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const reason = await this.#leadOnce(signal);
        if (!signal.aborted) this.#log.warn({ reason }, 'this instance no longer anchors');
      } catch (error) {
        if (signal.aborted) return;
        const problem = `it cannot anchor: ${messageOf(error)}`;
        if (problem !== this.#problem) this.#log.warn({ err: error }, 'this instance cannot anchor');
        this.#problem = problem;
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #waitForLead(signal: AbortSignal): Promise<Lead> {
    const waiting = setTimeout(() => this.#log.info('this instance stands by'), STANDBY_MS);
    try {
      return await this.#store.lead(signal);
    } finally {
      clearTimeout(waiting);
    }
  }

  async #begin(): Promise<T> {
    const active = this.#activate();
    try {
      await active.begin();
      return active;
    } catch (error) {
      await active.stop();
      throw error;
    }
  }

  /** Resolves with the reason when the lead is over or the service stops. */
  async #leadOnce(signal: AbortSignal): Promise<string> {
    const { ended } = await this.#waitForLead(signal);
    const begun = await this.#begin();
    this.#problem = null;
    this.#active = begun;
    this.#log.info('this instance anchors');
    try {
      await this.#sessions?.begin();
      return await Promise.race([ended, stopped(signal)]);
    } finally {
      this.#active = null;
      await this.#ending('its consumers', this.#sessions?.end());
      await this.#ending('what it did beside them', begun.stop());
      this.#problem = null;
    }
  }

  /** Waits for a part of a lead that is over; says so where it takes long. */
  async #ending(what: string, ended: Promise<void> | undefined): Promise<void> {
    const late = setTimeout(() => {
      this.#problem = `it led, and ${what}: not ended yet`;
      this.#log.warn({ waitingFor: what }, 'a lead that is over does not end');
    }, ENDS_WITHIN_MS);
    try {
      await ended;
    } finally {
      clearTimeout(late);
    }
  }
}

function stopped(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const stop = (): void => resolve('the service stops');
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
