import type { ServerResponse } from 'node:http';
import type { CheckAnswer } from '@countersign/contracts';

const JSON_TYPE = 'application/json; charset=utf-8';
const ALLOWED = '{"allowed":true}';
const ALLOWED_LENGTH = `${ALLOWED.length}`;

/** Seconds after which it is worth to come again. */
const RETRY_AFTER = '1';

/** An answer to a recorded check, word for word. */
export function sendAnswer(response: ServerResponse, answer: CheckAnswer, retryAfter: string | null): void {
  const { status, body, eventId, coverage } = answer;
  const length = body === ALLOWED ? ALLOWED_LENGTH : `${Buffer.byteLength(body)}`;
  const headers = ['content-type', JSON_TYPE, 'content-length', length, 'x-event-id', eventId];
  if (coverage !== null) headers.push('x-policy-coverage', coverage);
  if (retryAfter !== null) headers.push('retry-after', retryAfter);
  response.writeHead(status, headers);
  response.end(body);
}

/** `{error}`. `close`: the rest of the body is not wanted. */
export function sendError(
  response: ServerResponse,
  status: 400 | 401 | 404 | 405 | 413 | 415,
  error: string,
  headers: readonly string[] = [],
): void {
  send(response, status, JSON.stringify({ error }), headers);
}

/** Fails closed: 503 with `allowed:false`. `eventId`: an event was sent, and its fate is unknown. */
export function sendUnavailable(
  response: ServerResponse,
  code: 'unavailable' | 'deadline_exceeded',
  reason: string,
  eventId: string | null,
): void {
  const body = JSON.stringify({ allowed: false, reason, severity: 'P1', code });
  send(response, 503, body, ['retry-after', RETRY_AFTER, ...(eventId === null ? [] : ['x-event-id', eventId])]);
}

function send(response: ServerResponse, status: number, body: string, headers: readonly string[]): void {
  response.writeHead(status, ['content-type', JSON_TYPE, 'content-length', `${Buffer.byteLength(body)}`, ...headers]);
  response.end(body);
}
