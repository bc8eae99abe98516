import { activeSpan, recordDecision, traceparentOf } from './active-span.js';
import { checkBody, type Action } from './action.js';
import { keyAfterApproval, needsApproval, onceKnown, untilDecided } from './approval.js';
import { ActionDeniedError } from './action-denied.js';
import { readAgent, type AgentRecord, type NewAgent } from './agent.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { CountersignError } from './errors.js';
import type { UnavailableCode } from './errors.js';
import { sendByPlatform } from './node-http.js';
import { originHeaders } from './origin.js';
import type { CallOptions, CountersignOptions, FailMode, OutcomeReport } from './options.js';
import { readOptions, requireCallOptions } from './read-options.js';
import { readCheck, readRefusal } from './result.js';
import type { CheckResult } from './result.js';
import { newIdempotencyKey, withRetries, type Tries } from './retry.js';
import { Signer } from './signing.js';
import { sendBy, type Answer, type Request } from './transport.js';
import { requireWhole, whole } from './whole.js';

const CHECK = '/v1/check';

/** Client of the service: checks before an agent acts, outcomes, scans and registration. */
export class Countersign {
  readonly #agentId: string;
  readonly #baseUrl: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #send: (request: Request) => Promise<Answer>;
  readonly #breaker: CircuitBreaker | null;
  readonly #signer: Signer | null;
  readonly #failMode: FailMode;
  readonly #waitForApprovalMs: number;
  readonly #originHeaders: Readonly<Record<string, string>>;
  readonly #tries: Omit<Tries, 'signal'>;
  readonly #onDenied: CountersignOptions['onDenied'];
  readonly #onReportFailed: NonNullable<CountersignOptions['onReportFailed']>;

  /** @throws TypeError if the key, the agent's id or the address is missing or malformed, or an option is unknown, has a wrong type or is out of range */
  constructor(options: CountersignOptions);
  constructor(apiKey: string, agentId: string, baseUrl?: string);
  constructor(first: CountersignOptions | string, agentId?: string, baseUrl?: string) {
    const options = (
      typeof first === 'object' && first !== null
        ? first
        : { apiKey: first, agentId, ...(baseUrl === undefined ? {} : { baseUrl }) }
    ) as CountersignOptions;
    const read = readOptions(options);
    const { apiKey, timeoutMs, attemptTimeoutMs, retries, circuitBreaker } = read;
    this.#agentId = read.agentId;
    this.#baseUrl = read.baseUrl;
    this.#headers = {
      'content-type': 'application/json',
      'x-service-key': apiKey,
      authorization: `Bearer ${apiKey}`,
    };
    const { fetch } = options;
    this.#send = fetch === undefined ? sendByPlatform : (request) => sendBy(fetch, request);
    this.#breaker = circuitBreaker === false ? null : new CircuitBreaker(circuitBreaker);
    this.#signer = options.signingKey === undefined ? null : new Signer(options.signingKey);
    this.#failMode = read.failMode;
    this.#waitForApprovalMs = read.waitForApprovalMs;
    const { session, principal } = options;
    this.#originHeaders = originHeaders({
      ...(session === undefined ? {} : { session }),
      ...(principal === undefined ? {} : { principal }),
    });
    this.#tries = { retries, timeoutMs, attemptTimeoutMs, address: read.baseUrl };
    this.#onDenied = options.onDenied;
    this.#onReportFailed = options.onReportFailed ?? warn;
  }

  /**
   * Asks for a decision about an action. Every answer, and the lack of one, is a result; a failure is never `allowed` unless
   * `failMode` is `open`.
   * @throws TypeError for an invalid action or key; CountersignError without a decision under `failMode: 'throw'`; the
   * signal's reason after a cancellation
   */
  async check(action: Action, options: CallOptions = {}): Promise<CheckResult> {
    requireCallOptions(options);
    const body = checkBody(options.agentId ?? this.#agentId, action);
    const { idempotencyKey = newIdempotencyKey() } = options;
    // Such a header cannot be sent, which would look like an unreachable service.
    if (!/^[\x21-\x7e]{1,255}$/u.test(idempotencyKey)) {
      throw new TypeError('idempotencyKey: 1 to 255 visible ASCII characters');
    }
    const span = activeSpan();
    const traced = span === undefined ? {} : { traceparent: traceparentOf(span) };
    const begunAt = span === undefined ? 0 : performance.now();
    const origin = { ...this.#originHeaders, ...traced, ...originHeaders(options) };
    const headers = { ...origin, 'idempotency-key': idempotencyKey };
    let result = await this.#decided(body, headers, options.signal);
    const { waitForApprovalMs = this.#waitForApprovalMs } = options;
    if (waitForApprovalMs > 0 && needsApproval(result)) {
      result = await this.#approved(result, body, headers, waitForApprovalMs, options.signal);
    }
    if (span !== undefined) recordDecision(span, result, performance.now() - begunAt);
    if (!result.allowed) await this.#onDenied?.(result, action);
    return result;
  }

  /**
   * Checks, executes `fn` if the action is allowed, and reports the outcome when `fn` has resolved.
   * @returns the result of `fn`
   * @throws TypeError if `fn` is a generator function, before any request, or returns a generator; ActionDeniedError if the
   * action is not allowed and `fn` was not called; errors of `fn`; otherwise as {@link check}
   */
  async guard<T>(action: Action, fn: (check: CheckResult) => T | Promise<T>, options: CallOptions = {}): Promise<T> {
    requireWhole(fn);
    const check = await this.check(action, options);
    if (!check.allowed) throw new ActionDeniedError(check);
    let outcome: OutcomeReport['outcome'] = 'failed';
    try {
      const value = whole(await fn(check));
      outcome = 'succeeded';
      return value;
    } finally {
      if (check.eventId !== undefined) await this.#reportOf({ eventId: check.eventId, outcome }, options);
    }
  }

  /**
   * Reports the outcome of a checked action: `POST /v1/mcp/log`. An earlier report of the check remains.
   * @throws CountersignError if it was not accepted
   */
  async reportOutcome(report: OutcomeReport, options: Pick<CallOptions, 'agentId' | 'signal'> = {}): Promise<void> {
    requireCallOptions(options);
    const body = JSON.stringify({ agentId: options.agentId ?? this.#agentId, ...report });
    await withRetries(
      async (timeoutMs) => {
        const answer = await this.#post('/v1/mcp/log', body, {}, timeoutMs, options.signal);
        // 409: an earlier attempt, or another caller, has reported it.
        if (answer.status !== 201 && answer.status !== 409) throw readRefusal(answer);
      },
      { ...this.#tries, signal: options.signal },
    );
  }

  /**
   * Judges a text only by the output rules of the agent: `POST /v1/mcp/scan`. Nothing is recorded or counted.
   * @throws as {@link check}
   */
  async scan(text: string, options: Pick<CallOptions, 'agentId' | 'signal'> = {}): Promise<CheckResult> {
    requireCallOptions(options);
    const body = JSON.stringify({ agentId: options.agentId ?? this.#agentId, text });
    return this.#decided(body, {}, options.signal, '/v1/mcp/scan');
  }

  /**
   * Creates an agent in the key's account: `POST /v1/mcp/register`. Its checks need a key that names it, which an admin
   * issues, or the account's first key with its id as `agentId`. There is one attempt, within `timeoutMs`, since another one
   * would create another agent.
   * @throws CountersignError if it was refused, or if it may have been created (`isUnavailable`); the signal's reason after a
   * cancellation
   */
  async register(agent: NewAgent, options: Pick<CallOptions, 'signal'> = {}): Promise<AgentRecord> {
    const { timeoutMs } = this.#tries;
    return readAgent(await this.#post('/v1/mcp/register', JSON.stringify(agent), {}, timeoutMs, options.signal));
  }

  /** The check that follows the approval of `denied`; `denied`, with what became of the approval, where there is none. */
  async #approved(
    denied: CheckResult & { readonly approvalId: string },
    body: string,
    headers: Readonly<Record<'idempotency-key', string>>,
    waitMs: number,
    signal: AbortSignal | undefined,
  ): Promise<CheckResult> {
    const { approvalId } = denied;
    const ask = (path: string, timeoutMs: number): Promise<Answer> =>
      this.#send({ url: `${this.#baseUrl}${path}`, headers: this.#headers, body: null, timeoutMs, signal });
    const state = await untilDecided(ask, approvalId, waitMs, signal);
    // A repeated call may find that its own check has used it: the same key gets that answer again.
    if (state === 'approved' || state === 'consumed') {
      const after = (attempt: number): Promise<CheckResult> => {
        const key = keyAfterApproval(headers['idempotency-key'], approvalId, attempt);
        return this.#decided(body, { ...headers, 'idempotency-key': key, 'x-approval-id': approvalId }, signal);
      };
      return onceKnown(after, approvalId, signal);
    }
    if (state === 'pending') return denied;
    const { retryAfterMs: _no, ...rest } = denied;
    return { ...rest, code: `approval_${state}`, nextAction: state === 'denied' ? 'none' : 'request' };
  }

  async #decided(
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
    path = CHECK,
  ): Promise<CheckResult> {
    if (this.#breaker?.admits() === false) {
      return this.#undecided(this.#breaker.error());
    }
    try {
      const result = await withRetries(
        async (timeoutMs) => readCheck(await this.#post(path, body, headers, timeoutMs, signal)),
        { ...this.#tries, signal },
      );
      this.#breaker?.ended(true);
      return result;
    } catch (error) {
      if (!(error instanceof CountersignError)) {
        this.#breaker?.ended(false);
        throw error;
      }
      this.#breaker?.failed(error.message);
      return this.#undecided(error);
    }
  }

  #undecided(error: CountersignError): CheckResult {
    if (this.#failMode === 'throw') throw error;
    const { eventId } = error.details;
    const known = {
      reason: `No decision: ${error.message}`,
      severity: 'P1',
      violations: [error.code as UnavailableCode],
      ...(eventId === undefined ? {} : { eventId }),
      error,
    };
    return this.#failMode === 'open' ? { allowed: true, failedOpen: true, ...known } : { allowed: false, ...known };
  }

  async #post(
    path: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const url = `${this.#baseUrl}${path}`;
    // Each attempt, because a nonce is used once.
    const signed = path === CHECK && this.#signer !== null ? await this.#signer.headersFor(path, headers, body) : {};
    return this.#send({ url, headers: { ...this.#headers, ...headers, ...signed }, body, timeoutMs, signal });
  }

  async #reportOf(report: OutcomeReport, { agentId }: CallOptions): Promise<void> {
    try {
      await this.reportOutcome(report, agentId === undefined ? {} : { agentId });
    } catch (error) {
      try {
        await this.#onReportFailed(error, report);
      } catch (thrown) {
        warn(thrown, report);
      }
    }
  }
}

function warn(error: unknown, { eventId, outcome }: OutcomeReport): void {
  const why = error instanceof Error ? error.message : String(error);
  console.warn(`countersign: that ${eventId} ${outcome} was not reported: ${why}`);
}
