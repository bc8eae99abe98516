import { Semaphore } from '@countersign/async';
import type { CallOptions, CheckResult, Countersign, Outcome } from '@countersign/client';
import { piecesOf } from './result-texts.js';
import { actionOf, type ToolCall } from './tool-call.js';
import type { ToolRules } from './tool-rules.js';

/** Concurrent reports: each waits until the archive has the check. */
const REPORTS_AT_ONCE = 32;
/** Keeps a server that sends many messages from occupying the service. */
const SCANS_AT_ONCE = 16;
/** The longest text that a scan takes: longer ones are judged by this length. */
const LONGEST = 262_144;
const LONGEST_MESSAGE = 500;

/** Of a check that may be repeated. */
export type Attempt = Pick<CallOptions, 'idempotencyKey' | 'waitForApprovalMs'>;

/** Checks calls, scans results, and reports outcomes to the service. */
export class ToolGuard {
  readonly #reports: { readonly eventId: string; readonly outcome: Outcome; readonly detail?: string }[] = [];
  readonly #scans = new Semaphore(SCANS_AT_ONCE);
  #reporting = 0;
  #whenReported: (() => void)[] = [];

  /**
   * @param note logs a line for the operator of the proxy
   * @param session of the checks: one for all calls of a client; absent: none
   */
  constructor(
    private readonly client: Pick<Countersign, 'check' | 'scan' | 'reportOutcome'>,
    private readonly rules: Pick<ToolRules, 'offLimits'>,
    private readonly note: (line: string) => void,
    private readonly session?: string,
  ) {}

  /**
   * Checks a call. Rejects only with the signal's reason: a call that cannot be checked is not allowed.
   * @param attempt its key: another check with the same one has the answer of the first, after at most this wait for an approval
   */
  async judge(call: ToolCall, server: string | null, signal: AbortSignal, attempt: Attempt = {}): Promise<CheckResult> {
    try {
      const { traceparent } = call;
      const traced = traceparent === undefined ? {} : { traceparent };
      return await this.client.check(actionOf(call, server, this.session), { signal, ...traced, ...attempt });
    } catch (error) {
      signal.throwIfAborted();
      return { allowed: false, reason: `the call cannot be checked: ${errorMessage(error)}`, severity: 'P1' };
    }
  }

  /**
   * Scans a text of the server. Never rejects: a text that cannot be scanned is not allowed.
   * @param length whether its length is judged
   */
  async scan(text: string, length: 'judged' | 'any'): Promise<CheckResult> {
    if (text === '') return { allowed: true };
    const pieces = piecesOf(text);
    try {
      if (pieces.length > 1 && length === 'judged') {
        // Each piece is short, so the total length is judged by another scan, of as many spaces.
        const scanned = await this.#scan(' '.repeat(Math.min(text.length, LONGEST)));
        if (!scanned.allowed) return scanned;
      }
      for (const piece of pieces) {
        const scanned = await this.#scan(piece);
        // Rules judge the length last: everything else has been allowed.
        if (!scanned.allowed && !(length === 'any' && scanned.category === 'length')) return scanned;
      }
      return { allowed: true };
    } catch (error) {
      return { allowed: false, reason: `it cannot be scanned: ${errorMessage(error)}`, severity: 'P1' };
    }
  }

  #scan(text: string): Promise<CheckResult> {
    return this.#scans.run(() => this.client.scan(text));
  }

  /** The tools that the agent may not use with any arguments; none if that cannot be determined. */
  async offLimits(names: readonly string[]): Promise<ReadonlySet<string>> {
    try {
      return await this.rules.offLimits(names);
    } catch (error) {
      this.note(
        `which tools are off limits is not known, so none is hidden; each is checked when it is called: ${errorMessage(error)}`,
      );
      return new Set();
    }
  }

  /** Reports the outcome of a checked call, in the background. A check without an event has no outcome to report. */
  report(eventId: string | undefined, outcome: Outcome, detail?: string): void {
    if (eventId === undefined) return;
    this.#reports.push({ eventId, outcome, ...(detail === undefined ? {} : { detail }) });
    void this.#reportOn();
  }

  /** Waits until all outcomes are reported, at most `withinMs`. @returns the number left over */
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
      this.note(`that the call of event ${report.eventId} ${report.outcome} is not recorded: ${errorMessage(error)}`);
    }
    this.#reporting -= 1;
    if (this.#left === 0) for (const resolve of this.#whenReported.splice(0)) resolve();
    void this.#reportOn();
  }
}

/** The innermost cause of an error: `fetch failed` alone carries no information. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? errorMessage(cause) : error.message.slice(0, LONGEST_MESSAGE);
}
