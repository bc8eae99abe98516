export type { Action } from './action.js';
export type { CircuitBreakerOptions } from './circuit-breaker.js';
export { Countersign } from './client.js';
export { ActionDeniedError, CountersignError } from './errors.js';
export type { ErrorCode, RefusalCode, UnavailableCode } from './errors.js';
export { DEFAULT_BASE_URL } from './options.js';
export type { CallOptions, CountersignOptions, FailMode, Outcome, OutcomeReport } from './options.js';
export type { CheckResult } from './result.js';
export type { Fetch } from './transport.js';
