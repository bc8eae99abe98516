import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CheckAnswer } from '@countersign/contracts';
import { MAX_BODY_BYTES } from './read-body.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const ALLOWED = '{"allowed":true}';
const ALLOWED_LENGTH = `${ALLOWED.length}`;

/** `true` for an answer that an earlier check with the same Idempotency-Key was given. */
export const IDEMPOTENT_REPLAY = 'x-idempotent-replay';

/** In every answer: it finds the line of the log on a refusal. */
const REQUEST_ID = 'x-request-id';

/** Seconds after which a retry is useful. */
const RETRY_AFTER = '1';
const LINGER_MS = 1000;

/** An answer to a recorded check, verbatim. */
export function sendAnswer(
  response: ServerResponse,
  answer: CheckAnswer,
  retryAfter: string | null,
  replayed: boolean,
  traceparent: string | null,
  requestId: string,
): void {
  const { status, body, eventId, coverage, wouldDeny } = answer;
  const length = body === ALLOWED ? ALLOWED_LENGTH : `${Buffer.byteLength(body)}`;
  const headers = ['content-type', JSON_TYPE, 'content-length', length, 'x-event-id', eventId, REQUEST_ID, requestId];
  if (coverage !== null) headers.push('x-policy-coverage', coverage);
  if (wouldDeny !== null) headers.push('x-would-deny', wouldDeny);
  if (retryAfter !== null) headers.push('retry-after', retryAfter);
  if (replayed) headers.push(IDEMPOTENT_REPLAY, 'true');
  if (traceparent !== null) headers.push('traceparent', traceparent);
  response.writeHead(status, headers);
  response.end(body);
}

/** `{error}`. Closes the connection where too much of the body is unread. */
export function sendError(
  response: ServerResponse,
  status: 400 | 401 | 404 | 405 | 408 | 413 | 415,
  error: string,
  requestId: string,
  others: readonly string[] = [],
): void {
  const body = JSON.stringify({ error });
  const headers = [REQUEST_ID, requestId, ...others];
  if (leavesTooMuch(response.req)) sendLast(response, status, body, headers);
  else send(response, status, body, headers);
}

/**
 * Fails closed: 503 with `allowed:false`. `eventId`: an event was sent, and is in doubt. A client that has not sent the
 * whole body by the deadline loses the connection, which would retain the received part.
 */
export function sendUnavailable(
  response: ServerResponse,
  code: 'unavailable' | 'deadline_exceeded',
  reason: string,
  eventId: string | null,
  requestId: string,
): void {
  const body = JSON.stringify({ allowed: false, reason, severity: 'P1', code });
  const headers = [
    'retry-after',
    RETRY_AFTER,
    REQUEST_ID,
    requestId,
    ...(eventId === null ? [] : ['x-event-id', eventId]),
  ];
  if (code === 'deadline_exceeded' && !response.req.complete) sendLast(response, 503, body, headers);
  else send(response, 503, body, headers);
}

/** 503 before anything of the request was read. @param body JSON */
export function sendShed(response: ServerResponse, body: string, requestId: string): void {
  send(response, 503, body, ['retry-after', RETRY_AFTER, REQUEST_ID, requestId]);
}

/** The connection is closed after it. */
function sendLast(response: ServerResponse, status: number, body: string, headers: readonly string[]): void {
  response.writeHead(status, headersOf(body, [...headers, 'connection', 'close']));
  response.write(body);
  endLingering(response.req, response);
}

function send(response: ServerResponse, status: number, body: string, headers: readonly string[]): void {
  response.writeHead(status, headersOf(body, headers));
  response.end(body);
}

function headersOf(body: string, headers: readonly string[]): string[] {
  return [
    'content-type',
    JSON_TYPE,
    'content-length',
    `${Buffer.byteLength(body)}`,
    'cache-control',
    'no-store',
    'x-content-type-options',
    'nosniff',
    ...headers,
  ];
}

/** Reports whether the rest of the body is too much to read and discard. */
function leavesTooMuch(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const length = request.headers['content-length'];
  return length === undefined ? request.headers['transfer-encoding'] !== undefined : Number(length) > MAX_BODY_BYTES;
}

/** A client that is still sending would lose the answer to a reset: its data is discarded for a moment first. */
function endLingering(request: IncomingMessage, response: ServerResponse): void {
  const end = (): void => {
    clearTimeout(timer);
    request.off('end', end).off('close', end);
    if (!response.writableEnded) response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.on('end', end).on('close', end);
  request.resume();
}
