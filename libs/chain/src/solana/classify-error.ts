import { ChainRejected, ChainUnavailable } from '../errors.js';
import type { RejectionCode } from '../errors.js';

/** A node's HTTP answer other than 200. `retryAfterMs` is the requested delay, if any. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';

  constructor(
    readonly status: number,
    readonly retryAfterMs: number | null,
  ) {
    super(`HTTP ${status}`);
  }
}

/** Codes for a problem of the node, not of the request. */
const UNHEALTHY_CODES = new Set([-32603, -32005, -32014, -32016, 502, 503]);
const HISTORY_CODES = new Set([-32011]);

const SENTENCES: readonly (readonly [RegExp, RejectionCode])[] = [
  [/blockhash not found/i, 'blockhash-not-found'],
  [/insufficient (funds|lamports)|no record of a prior credit/i, 'insufficient-funds'],
  [/signature verification fail|did not pass signature verification/i, 'signature-failure'],
  [/failed to (deserialize|sanitize)|too large|invalid base(58|64)/i, 'invalid-transaction'],
  [/simulation failed|processing instruction/i, 'transaction-failed'],
];

/**
 * Classifies an error of the driver or `fetch`: another node may be asked after `ChainUnavailable`, not after the
 * other.
 */
export function classifyError(error: unknown): ChainUnavailable | ChainRejected {
  if (error instanceof ChainUnavailable || error instanceof ChainRejected) return error;
  const cause = error;
  if (error instanceof HttpFailure) {
    if (error.status === 429) return new ChainUnavailable('rate-limited', 'The node limits its rate', { cause });
    if (error.status === 413) return new ChainRejected('invalid-transaction', 'The node finds it too large', { cause });
    return new ChainUnavailable('node-unhealthy', `The node answered ${error.message}`, { cause });
  }
  // By shape, not by class: errors of `fetch` may come from another realm.
  if (!isErrorLike(error)) return new ChainUnavailable('network', 'The node could not be asked', { cause });
  if (error.name === 'TimeoutError' || error.name === 'AbortError') {
    return new ChainUnavailable('timeout', 'The node did not answer in time', { cause });
  }
  if (error.name === 'StructError' || error.name === 'SyntaxError') {
    return new ChainUnavailable('node-unhealthy', 'The node gave an answer of another shape', { cause });
  }
  const code = 'code' in error ? error.code : undefined;
  if (code === 429 || /too many requests|rate limit/i.test(error.message)) {
    return new ChainUnavailable('rate-limited', 'The node limits its rate', { cause });
  }
  const logs = 'logs' in error && Array.isArray(error.logs) ? error.logs.map(String) : undefined;
  // The driver drops the code of a refused transaction; only the node's own sentence remains.
  const refusedSend = 'transactionMessage' in error ? String(Reflect.get(error, 'transactionMessage')) : undefined;
  const message = refusedSend ?? error.message;
  if (typeof code === 'number' || refusedSend !== undefined) {
    const unhealthy = (typeof code === 'number' && UNHEALTHY_CODES.has(code)) || /^node is /i.test(message);
    if (unhealthy) return new ChainUnavailable('node-unhealthy', message, { cause });
    if (typeof code === 'number' && HISTORY_CODES.has(code)) {
      return new ChainRejected('history-not-available', message, { cause });
    }
    const known = SENTENCES.find(([pattern]) => pattern.test(message));
    return new ChainRejected(known?.[1] ?? 'rpc-error', message, { cause, logs });
  }
  return new ChainUnavailable('network', 'The node could not be reached', { cause });
}

/** A node that already knows the transaction reports it as an error. */
export function saysAlreadyProcessed(error: unknown): boolean {
  return isErrorLike(error) && /already been processed|AlreadyProcessed/.test(error.message);
}

function isErrorLike(value: unknown): value is Error {
  return typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';
}
