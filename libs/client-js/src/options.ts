import type { Action } from './action.js';
import type { CircuitBreakerOptions } from './circuit-breaker.js';
import type { SigningKey } from './signing.js';
import type { CheckResult } from './result.js';
import type { Fetch } from './transport.js';

/**
 * Result of a check without a decision. `closed`: denied. `open`: allowed, with `failedOpen`. `throw`: the call rejects.
 * A refusal (credentials, plan, frozen or unknown agent) is a decision and never `open`.
 */
export type FailMode = 'closed' | 'open' | 'throw';

export type Outcome = 'succeeded' | 'failed' | 'skipped';

export interface CountersignOptions {
  /** `csn_live_…` */
  readonly apiKey: string;
  /** UUID of the agent that acts. */
  readonly agentId: string;
  /** Address of the service, without `/v1`. Default {@link DEFAULT_BASE_URL}. */
  readonly baseUrl?: string;
  /** Milliseconds for one call with all its attempts. Default 5,000. */
  readonly timeoutMs?: number;
  /** Milliseconds for one attempt. Default 2,000: twice the service's own deadline. */
  readonly attemptTimeoutMs?: number;
  /** Retries of a call without a decision. Default 2. Each call has an Idempotency-Key, so it counts once. */
  readonly retries?: number;
  /**
   * Milliseconds for which a call waits for a person where the action needs an approval. Once it is approved, the action is
   * checked again. Default 0: the denial is the result, and the same action may be checked again later.
   */
  readonly waitForApprovalMs?: number;
  /** Session of every check; a call may name its own. Default: none, unless `metadata.session` of an action names one. */
  readonly session?: string;
  /** On whose behalf the agent acts, likewise; otherwise `metadata.principal` of an action. */
  readonly principal?: string;
  /** Signs each check (RFC 9421). Default: checks are not signed. */
  readonly signingKey?: SigningKey;
  /** Default `closed`. */
  readonly failMode?: FailMode;
  /** Default: opens for ten seconds after five calls without a decision. `false`: never. */
  readonly circuitBreaker?: CircuitBreakerOptions | false;
  /** Called with every result that is not allowed, before the call ends. */
  readonly onDenied?: (result: CheckResult, action: Action) => void | Promise<void>;
  /**
   * Called if `guard` could not report an outcome; `guard` ends after it. Default, and if it throws: a line by
   * `console.warn`.
   */
  readonly onReportFailed?: (error: unknown, report: OutcomeReport) => void | Promise<void>;
  /** Default: node:http on Node 20.16 and later, which is faster; otherwise the platform's `fetch`. */
  readonly fetch?: Fetch;
}

export interface OutcomeReport {
  /** The event of the check. */
  readonly eventId: string;
  readonly outcome: Outcome;
  /** Free text about the outcome: content, which is committed and not in the leaf. */
  readonly detail?: string;
}

export interface CallOptions {
  /** Overrides the agent of the constructor. */
  readonly agentId?: string;
  /** 1–255 visible characters: the same key with the same action within 24 hours is the same check. Default: a new key. */
  readonly idempotencyKey?: string;
  /** Overrides `waitForApprovalMs` of the constructor. */
  readonly waitForApprovalMs?: number;
  /** The conversation or run of the check: 1–200 visible ASCII characters, with blanks inside. Overrides the constructor's. */
  readonly session?: string;
  /** On whose behalf the agent acts, in the same characters. Overrides that of the constructor. */
  readonly principal?: string;
  /**
   * W3C `traceparent`, which is committed with the verdict; the service ignores one that it cannot read. Default: that of
   * the active span of OpenTelemetry, which gets the event `countersign.decision`.
   */
  readonly traceparent?: string;
  /** Cancels the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** The address at which `npm start` listens. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:8080';
