import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CheckAnswer } from '@countersign/contracts';
import { MAX_BODY_BYTES } from './read-body.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const ALLOWED = '{"allowed":true}';
const ALLOWED_LENGTH = `${ALLOWED.length}`;

/** `true` for an answer that an earlier check with the same Idempotency-Key was given. */
export const IDEMPOTENT_REPLAY = 'x-idempotent-replay';

/** Seconds after which a retry is useful. */
const RETRY_AFTER = '1';
const TRY_AGAIN = ['retry-after', RETRY_AFTER];
const LINGER_MS = 1000;

/** An answer to a recorded check, verbatim. */
export function sendAnswer(
  response: ServerResponse,
  answer: CheckAnswer,
  retryAfter: string | null,
  replayed: boolean,
  traceparent: string | null,
): void {
  const { status, body, eventId, coverage, wouldDeny } = answer;
  const length = body === ALLOWED ? ALLOWED_LENGTH : `${Buffer.byteLength(body)}`;
  const headers = ['content-type', JSON_TYPE, 'content-length', length, 'x-event-id', eventId];
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
  headers: readonly string[] = [],
): void {
  const body = JSON.stringify({ error });
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
): void {
  const body = JSON.stringify({ allowed: false, reason, severity: 'P1', code });
  const headers = ['retry-after', RETRY_AFTER, ...(eventId === null ? [] : ['x-event-id', eventId])];
  if (code === 'deadline_exceeded' && !response.req.complete) sendLast(response, 503, body, headers);
  else send(response, 503, body, headers);
}

/** 503 before anything of the request was read. @param body JSON */
export function sendShed(response: ServerResponse, body: string): void {
  send(response, 503, body, TRY_AGAIN);
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
