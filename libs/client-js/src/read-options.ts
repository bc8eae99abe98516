import type { CircuitBreakerOptions } from './circuit-breaker.js';
import { kindOf, requireFunctions, requireKnown, requireNumber } from './check-options.js';
import { originHeaders } from './origin.js';
import { requireSigningKey } from './signing.js';
import { DEFAULT_BASE_URL, type CallOptions, type CountersignOptions, type FailMode } from './options.js';

const OPTIONS = [
  'apiKey',
  'agentId',
  'baseUrl',
  'timeoutMs',
  'attemptTimeoutMs',
  'retries',
  'waitForApprovalMs',
  'session',
  'principal',
  'signingKey',
  'failMode',
  'circuitBreaker',
  'onDenied',
  'onReportFailed',
  'fetch',
] as const satisfies readonly (keyof CountersignOptions)[];
const CALL_OPTIONS = [
  'agentId',
  'idempotencyKey',
  'waitForApprovalMs',
  'session',
  'principal',
  'traceparent',
  'signal',
] as const satisfies readonly (keyof CallOptions)[];
const FAIL_MODES: ReadonlySet<unknown> = new Set<FailMode>(['closed', 'open', 'throw']);

/** Validated options with their defaults. */
export interface ReadOptions {
  readonly apiKey: string;
  readonly agentId: string;
  /** Without `/v1` and without a trailing slash. */
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly attemptTimeoutMs: number;
  readonly retries: number;
  readonly waitForApprovalMs: number;
  readonly failMode: FailMode;
  readonly circuitBreaker: CircuitBreakerOptions | false;
}

/** @throws TypeError if an option is missing, unknown, of a wrong type, or out of range */
export function readOptions(given: CountersignOptions): ReadOptions {
  requireKnown(given, OPTIONS, 'options');
  const { timeoutMs = 5000, attemptTimeoutMs = 2000, retries = 2, failMode = 'closed', circuitBreaker = {} } = given;
  const { waitForApprovalMs = 0 } = given;
  const isAboveZero = (value: number): boolean => value > 0;
  requireNumber('timeoutMs', timeoutMs, isAboveZero, 'milliseconds above zero');
  requireNumber('attemptTimeoutMs', attemptTimeoutMs, isAboveZero, 'milliseconds above zero');
  requireNumber('retries', retries, (value) => value >= 0, 'a number from zero');
  requireWait(waitForApprovalMs);
  originHeaders(given);
  if (given.signingKey !== undefined) requireSigningKey(given.signingKey);
  if (!FAIL_MODES.has(failMode))
    throw new TypeError(`failMode: "closed", "open" or "throw", not ${JSON.stringify(failMode)}`);
  requireFunctions(given, ['onDenied', 'onReportFailed', 'fetch']);
  if (circuitBreaker !== false) requireKnown(circuitBreaker, ['failures', 'cooldownMs'], 'circuitBreaker');
  return {
    apiKey: keyOf(given.apiKey),
    agentId: requireAgent(given.agentId),
    baseUrl: addressOf(given.baseUrl ?? DEFAULT_BASE_URL),
    ...{ timeoutMs, attemptTimeoutMs, retries, waitForApprovalMs, failMode, circuitBreaker },
  };
}

/** @throws TypeError as {@link readOptions} */
export function requireCallOptions(options: CallOptions): void {
  requireKnown(options, CALL_OPTIONS, 'options');
  if (options.agentId !== undefined) requireAgent(options.agentId);
  if (options.waitForApprovalMs !== undefined) requireWait(options.waitForApprovalMs);
  originHeaders(options);
}

function requireWait(waitForApprovalMs: unknown): void {
  requireNumber('waitForApprovalMs', waitForApprovalMs, (value) => value >= 0, 'milliseconds from zero');
}

/** Trims blanks, which often come with the file from which a key was read. */
function keyOf(apiKey: unknown): string {
  const key = typeof apiKey === 'string' ? apiKey.trim() : '';
  if (key === '')
    throw new TypeError(`apiKey: an API key is needed, not ${kindOf(apiKey)}: is COUNTERSIGN_API_KEY set?`);
  if (!/^[\x21-\x7e]+$/u.test(key)) throw new TypeError('apiKey: an API key has no blanks and only ASCII characters');
  return key;
}

function requireAgent(agentId: unknown): string {
  if (typeof agentId === 'string' && agentId !== '') return agentId;
  throw new TypeError(`agentId: the id of an agent is needed, not ${kindOf(agentId)}`);
}

function addressOf(baseUrl: unknown): string {
  if (typeof baseUrl !== 'string')
    throw new TypeError(`baseUrl: the address of the service as text, not ${kindOf(baseUrl)}`);
  const url = urlOf(baseUrl);
  if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:')) {
    return `${url.origin}${url.pathname}`.replace(/\/+$/u, '').replace(/\/v1$/u, '');
  }
  const isHost = baseUrl !== '' && !baseUrl.includes('://') && urlOf(`http://${baseUrl}`) !== null;
  throw new TypeError(
    isHost
      ? `baseUrl: ${baseUrl} is no address: add http:// or https:// before it`
      : `baseUrl: ${baseUrl} is no address that begins with http:// or https://`,
  );
}

function urlOf(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
