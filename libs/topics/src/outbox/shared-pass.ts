import { messageOf } from '@countersign/async';
import type { Logger } from 'pino';

const RETRY_MS = 500;

/** The work of a {@link SharedPass}, and the texts that report its failure. */
export interface Pass {
  /** Handles everything committed before the call. */
  readonly run: () => Promise<void>;
  /** Begins the text of {@link SharedPass.problem}. */
  readonly waiting: string;
  /** Message of the log line about a failure. */
  readonly failed: string;
  readonly log: Pick<Logger, 'error'>;
}

/**
 * Runs one pass at a time. Callers that arrive during a pass share the next one, since the running pass may have missed
 * what they committed. A failed pass is repeated after a pause, until one succeeds.
 */
export class SharedPass {
  readonly #pass: Pass;
  #running: Promise<void> | null = null;
  #queued: Promise<void> | null = null;
  #retry: NodeJS.Timeout | null = null;
  #problem: string | null = null;
  #stopped = false;

  constructor(pass: Pass) {
    this.#pass = pass;
  }

  /** Resolves when a pass that began after the call has succeeded; rejects when that pass failed. */
  run(): Promise<void> {
    if (this.#running === null) return this.#begin();
    this.#queued ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#queued = null;
        return this.#running ?? this.#begin();
      });
    return this.#queued;
  }

  /** Why the last pass failed, or `null`. */
  problem(): string | null {
    return this.#problem;
  }

  /** Runs a last pass, whose failure is not repeated. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.run().catch(() => undefined);
  }

  #begin(): Promise<void> {
    const pass = this.#once().finally(() => {
      if (this.#running === pass) this.#running = null;
    });
    this.#running = pass;
    return pass;
  }

  async #once(): Promise<void> {
    const { run, waiting, failed, log } = this.#pass;
    try {
      await run();
      this.#problem = null;
    } catch (error) {
      this.#problem = `${waiting}: ${messageOf(error)}`;
      log.error({ err: error }, failed);
      this.#repeatLater();
      throw error;
    }
  }

  #repeatLater(): void {
    if (this.#stopped || this.#retry !== null) return;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.run().catch(() => undefined);
    }, RETRY_MS);
    this.#retry.unref();
  }
}
