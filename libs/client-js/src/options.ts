import type { Action } from './action.js';
import type { CircuitBreakerOptions } from './circuit-breaker.js';
import type { CheckResult } from './result.js';
import type { Fetch } from './transport.js';

/**
 * What an action may do when no decision was had. `closed`: it is denied. `open`: it is allowed, and `failedOpen` says so.
 * `throw`: the call rejects. A refusal (credentials, plan, frozen or unknown agent) is a decision: never open.
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
  /** For one call with all its tries, milliseconds. Default 5,000. */
  readonly timeoutMs?: number;
  /** For one try, milliseconds. Default 2,000: twice the service's own deadline. */
  readonly attemptTimeoutMs?: number;
  /** How often a call is tried again that had no decision. Default 2. Each call has an Idempotency-Key: it counts once. */
  readonly retries?: number;
  /** Default `closed`. */
  readonly failMode?: FailMode;
  /** Default: five calls without a decision leave the service alone for ten seconds. `false`: never. */
  readonly circuitBreaker?: CircuitBreakerOptions | false;
  /** Called with every result that is not allowed, before the call ends. */
  readonly onDenied?: (result: CheckResult, action: Action) => void | Promise<void>;
  /**
   * Called where `guard` could not report an outcome, which ends after it. Default, and where it throws: a line by
   * `console.warn`.
   */
  readonly onReportFailed?: (error: unknown, report: OutcomeReport) => void | Promise<void>;
  /** Default: on Node 20.16 and later node:http, which is quicker; elsewhere the platform's. */
  readonly fetch?: Fetch;
}

export interface OutcomeReport {
  /** The event of the check. */
  readonly eventId: string;
  readonly outcome: Outcome;
  /** What happened, in words: content, which is committed and not in the leaf. */
  readonly detail?: string;
}

export interface CallOptions {
  /** Another agent than the constructor's. */
  readonly agentId?: string;
  /** 1–255 visible characters: the same key with the same action within 24 hours is the same check. Default: a new one. */
  readonly idempotencyKey?: string;
  /** Gives up: the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Where `npm start` listens. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:8080';
