import { createHash } from 'node:crypto';
import type { EventEnvelope, LeafEvent, Openings } from '@countersign/contracts';
import { commitV2, plainEnvelope, plainLeaf, uuidV7 } from '@countersign/evidence';

/** The same bytes for the same words. */
function bytes(seed: string, length: number): Uint8Array {
  return new Uint8Array(createHash('sha256').update(seed).digest().subarray(0, length));
}

export const ACCOUNT = '11111111-1111-4111-8111-111111111111';
export const START = Date.parse('2026-03-01T09:30:00.000Z');

/** Asks for the counts of one step that has every event, by rule. */
export const BY_RULE = {
  filter: {},
  fromMs: START - 1,
  toMs: START + 3_600_000,
  stepMs: 86_400_000,
  byRule: true,
} as const;

/** A UUID that belongs to a number. */
export function agentId(n: number): string {
  const hex = Buffer.from(bytes(`agent ${n}`, 16)).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

export function eventId(n: number, occurredAtMs = START + n): string {
  return uuidV7(occurredAtMs, bytes(`event ${n}`, 10));
}

/** A trace id that belongs to a number: 32 hex characters. */
export function traceId(n: number): string {
  return Buffer.from(bytes(`trace ${n}`, 16)).toString('hex');
}

export interface EnvelopeParts {
  readonly agent?: number;
  readonly accountId?: string;
  readonly occurredAtMs?: number;
  readonly leaf?: Partial<LeafEvent>;
  readonly openings?: Openings;
  /** A leaf of version 2, with a context and its opening. */
  readonly v2?: true;
  /** Number of the trace of a leaf of version 2; otherwise that of the event. */
  readonly trace?: number;
}

const denial = {
  outcome: 'denied',
  allowed: false,
  reason: 'The API is not on the allow list.',
  severity: 'P2',
  violation_type: 'api_not_allowed',
  rule: 'allowed_apis:',
} as const satisfies Partial<LeafEvent>;

const passed = {
  outcome: 'allowed',
  allowed: true,
  actionKind: 'http_call',
  profileVersion: 1,
  profileSha256: Buffer.from(bytes('profile', 32)).toString('hex'),
} as const satisfies Partial<LeafEvent>;

/** A valid envelope of an allowed check unless `parts` say otherwise; event `n` always has the same id. */
export function envelope(n: number, parts: EnvelopeParts = {}): EventEnvelope {
  const one = other(n, 'action.checked', { ...parts, leaf: { ...passed, ...parts.leaf } });
  return { ...one, countsAction: true, countsRate: true, coverage: 'governed' };
}

export function denied(n: number, parts: EnvelopeParts = {}): EventEnvelope {
  return envelope(n, { ...parts, leaf: { ...denial, ...parts.leaf } });
}

/** A leaf that fills nothing but its type, what it refers to and a commitment. */
export function other(
  n: number,
  type: LeafEvent['type'],
  parts: EnvelopeParts & { readonly refersTo?: string } = {},
): EventEnvelope {
  const { agent = 1, accountId = ACCOUNT, occurredAtMs = START + n, refersTo = null } = parts;
  const content = parts.v2 === true ? contentV2(n, parts.trace ?? n) : null;
  const leaf = plainLeaf({
    type,
    eventId: eventId(n, occurredAtMs),
    refersTo,
    agentId: agentId(agent),
    occurredAt: new Date(occurredAtMs).toISOString(),
    action: Buffer.from(bytes(`action ${n}`, 32)).toString('hex'),
    ...content?.commitments,
    ...(content !== null && type === 'action.checked' ? { coverage: ['allowed_apis', 'rules'] } : {}),
    ...parts.leaf,
  });
  const salt = Buffer.from(bytes(`salt ${n}`, 16)).toString('base64url');
  const openings = parts.openings ?? content?.openings ?? { action: { salt, value: { type: 'http_call', n } } };
  return plainEnvelope(leaf, { accountId, cadenceSeconds: 1, apiKeyId: null, openings });
}

/** Action and context of event `n` in a leaf of version 2: its commitments, and what opens them. */
function contentV2(
  n: number,
  trace: number,
): { readonly commitments: Partial<LeafEvent>; readonly openings: Openings } {
  const salt = (kind: string): string => Buffer.from(bytes(`salt ${kind} ${n}`, 16)).toString('base64url');
  const action = { salt: salt('action'), value: { type: 'http_call', n } };
  const context = {
    salt: salt('context'),
    value: { principal: 'anna', trace: `00-${traceId(trace)}-00f067aa0ba902b7-01` },
  };
  const sha256 = (given: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(given).digest());
  const commitments = {
    v: 2,
    action: commitV2('action', action.salt, action.value, sha256),
    context: commitV2('context', context.salt, context.value, sha256),
  } as const;
  return { commitments, openings: { action, context } };
}
