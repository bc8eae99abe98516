import { Semaphore } from '@countersign/async';
import type { CheckResult, Countersign, Outcome } from '@countersign/client';
import { piecesOf } from './result-texts.js';
import { actionOf, type ToolCall } from './tool-call.js';
import type { ToolRules } from './tool-rules.js';

/** Reports under way at once: each waits until the archive has the check. */
const REPORTS_AT_ONCE = 32;
/** So that a server that says much keeps the service for nobody else. */
const SCANS_AT_ONCE = 16;
/** The longest text that a scan takes: the length of a longer one is judged as far as this. */
const LONGEST = 262_144;
const MOST_WORDS = 500;

/** Asks the service about calls and results, and tells it what became of them. */
export class ToolGuard {
  readonly #reports: { readonly eventId: string; readonly outcome: Outcome; readonly detail?: string }[] = [];
  readonly #scans = new Semaphore(SCANS_AT_ONCE);
  #reporting = 0;
  #whenReported: (() => void)[] = [];

  /** @param note takes a line for whoever runs the proxy */
  constructor(
    private readonly client: Pick<Countersign, 'check' | 'scan' | 'reportOutcome'>,
    private readonly rules: Pick<ToolRules, 'offLimits'>,
    private readonly note: (line: string) => void,
  ) {}

  /** Whether the call may be sent. Never rejects but with the signal's reason: what cannot be asked is not allowed. */
  async judge(call: ToolCall, server: string | null, signal: AbortSignal): Promise<CheckResult> {
    try {
      return await this.client.check(actionOf(call, server), { signal });
    } catch (error) {
      signal.throwIfAborted();
      return { allowed: false, reason: `the call cannot be checked: ${wordsOf(error)}`, severity: 'P1' };
    }
  }

  /**
   * Whether a text of the server may be seen. Never rejects: what cannot be scanned is not allowed.
   * @param length whether it may be too long
   */
  async scan(text: string, length: 'judged' | 'any'): Promise<CheckResult> {
    if (text === '') return { allowed: true };
    const pieces = piecesOf(text);
    try {
      if (pieces.length > 1 && length === 'judged') {
        // Each piece is short: how long all of them are together is a question of its own, about as many spaces.
        const scanned = await this.#scan(' '.repeat(Math.min(text.length, LONGEST)));
        if (!scanned.allowed) return scanned;
      }
      for (const piece of pieces) {
        const scanned = await this.#scan(piece);
        // Length is judged last: all else has been allowed.
        if (!scanned.allowed && !(length === 'any' && scanned.category === 'length')) return scanned;
      }
      return { allowed: true };
    } catch (error) {
      return { allowed: false, reason: `it cannot be scanned: ${wordsOf(error)}`, severity: 'P1' };
    }
  }

  #scan(text: string): Promise<CheckResult> {
    return this.#scans.run(() => this.client.scan(text));
  }

  /** Those of these tools that the agent may not use whatever it gives them; none where that cannot be told. */
  async offLimits(names: readonly string[]): Promise<ReadonlySet<string>> {
    try {
      return await this.rules.offLimits(names);
    } catch (error) {
      this.note(
        `which tools are off limits is not known, so none is hidden; each is checked when it is called: ${wordsOf(error)}`,
      );
      return new Set();
    }
  }

  /** Says what became of a checked call, in the background. A check without an event has nothing to be reported of. */
  report(eventId: string | undefined, outcome: Outcome, detail?: string): void {
    if (eventId === undefined) return;
    this.#reports.push({ eventId, outcome, ...(detail === undefined ? {} : { detail }) });
    void this.#reportOn();
  }

  /** Waits until all is reported, at most so long. @returns how many reports were left */
  async reported(withinMs: number): Promise<number> {
    if (this.#left === 0) return 0;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, withinMs);
    });
    await Promise.race([late, new Promise<void>((resolve) => this.#whenReported.push(resolve))]);
    clearTimeout(timer);
    return this.#left;
  }

  get #left(): number {
    return this.#reports.length + this.#reporting;
  }

  async #reportOn(): Promise<void> {
    if (this.#reporting >= REPORTS_AT_ONCE) return;
    const report = this.#reports.shift();
    if (report === undefined) return;
    this.#reporting += 1;
    try {
      await this.client.reportOutcome(report);
    } catch (error) {
      this.note(`that the call of event ${report.eventId} ${report.outcome} is not recorded: ${wordsOf(error)}`);
    }
    this.#reporting -= 1;
    if (this.#left === 0) for (const resolve of this.#whenReported.splice(0)) resolve();
    void this.#reportOn();
  }
}

/** `fetch failed` says nothing; what caused it does, however deep. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? wordsOf(cause) : error.message.slice(0, MOST_WORDS);
}
