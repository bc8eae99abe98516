import { readTraceparent } from '@countersign/contracts';
import type { CheckAction, CheckRequest, JsonValue } from '@countersign/contracts';
import { JsonRefused, parseJsonStrict } from '@countersign/evidence';
import { committed } from '../domain/committed.js';
import type { Committed } from '../domain/committed.js';
import { readCheck } from '../domain/read-check.js';

/** A parsed and validated body, ready to be committed. */
export interface PreparedCheck {
  /** Lower case. */
  readonly agentId: string;
  readonly action: CheckAction;
  /** The action without its payload. */
  readonly committed: Committed;
  readonly payload: Committed | null;
  readonly request: CheckRequest;
}

export interface Malformed {
  readonly status: 400 | 413;
  readonly error: string;
}

/** Longer texts are no tokens. */
const MAX_PROGRESS_TOKEN = 128;
/** The log takes messages of 4 MiB; canonical numbers can be longer than those sent (`1e20`). */
const MAX_CANONICAL_CHARACTERS = 1_250_000;

export function isMalformed(prepared: PreparedCheck | Malformed): prepared is Malformed {
  return 'error' in prepared;
}

export function prepareCheck(body: Uint8Array): PreparedCheck | Malformed {
  try {
    return prepareParsed(parseJsonStrict(body));
  } catch (error) {
    if (error instanceof JsonRefused) return { status: 400, error: error.message };
    throw error;
  }
}

/** @param body parsed by the rules of `parseJsonStrict` */
export function prepareParsed(body: unknown): PreparedCheck | Malformed {
  const request = readCheck(body);
  if (typeof request === 'string') return { status: 400, error: request };
  const { action } = request;
  const withoutPayload = commitWithoutPayload(action);
  const payload = action.payload === undefined ? null : committed(action.payload);
  if (withoutPayload.canonical.length + (payload?.canonical.length ?? 0) > MAX_CANONICAL_CHARACTERS) {
    return { status: 413, error: 'send a smaller action: in canonical JSON it is longer than 1.25 million characters' };
  }
  return { agentId: request.agentId.toLowerCase(), action, committed: withoutPayload, payload, request };
}

/**
 * The check of a tool call without what belongs to the attempt: the trace of its `_meta`, which the context commits, and its
 * `progressToken` (MCP: an integer or a text). An approval and an Idempotency-Key hold for the next attempt as well. A member of
 * another form stays in the action, where rules read it and the event commits it.
 */
export function withoutAttempt(prepared: PreparedCheck): PreparedCheck {
  const { _meta: meta, ...action } = prepared.action as CheckAction & { readonly _meta?: JsonValue };
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta)) return prepared;
  const left = Object.fromEntries(Object.entries(meta).filter(([name, value]) => !isOfAttempt(name, value)));
  const members = Object.keys(left).length;
  if (members === Object.keys(meta).length) return prepared;
  const shorter = prepareParsed({ ...prepared.request, action: members > 0 ? { ...action, _meta: left } : action });
  return isMalformed(shorter) ? prepared : shorter;
}

function isOfAttempt(name: string, value: unknown): boolean {
  if (name === 'traceparent') return readTraceparent(value) !== null;
  if (name !== 'progressToken') return false;
  return typeof value === 'string' ? value.length <= MAX_PROGRESS_TOKEN : Number.isSafeInteger(value);
}

function commitWithoutPayload(action: CheckAction): Committed {
  if (action.payload === undefined) return committed(action as JsonValue);
  const { payload: _, ...rest } = action;
  return committed(rest as JsonValue);
}
