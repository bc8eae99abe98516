import { createHash } from 'node:crypto';
import type { EventEnvelope, LeafEvent } from '@countersign/contracts';
import { plainEnvelope, plainLeaf, uuidV7 } from '@countersign/evidence';
import type { Destination } from '../domain/destination.js';
import { threadKey, type Notice } from '../domain/thread.js';
import { readViolation, type Violation } from '../domain/violation.js';

export const ACCOUNT = '11111111-1111-4111-8111-111111111111';
export const OTHER_ACCOUNT = '22222222-2222-4222-8222-222222222222';
export const AGENT = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
export const START = Date.parse('2026-03-01T09:30:00.000Z');
export const WINDOW_MS = 300_000;

const bytes = (seed: string, length: number): Uint8Array =>
  new Uint8Array(createHash('sha256').update(seed).digest().subarray(0, length));

/** The id of event `n`, deterministic. */
export function eventId(n: number): string {
  return uuidV7(START + n, bytes(`event ${n}`, 10));
}

/** A valid denial; `leaf` replaces members. */
export function denied(n: number, leaf: Partial<LeafEvent> = {}, accountId = ACCOUNT): EventEnvelope {
  const whole = plainLeaf({
    type: 'action.checked',
    eventId: eventId(n),
    agentId: AGENT,
    occurredAt: new Date(START + n).toISOString(),
    outcome: 'denied',
    allowed: false,
    reason: 'The API is not on the allow list.',
    severity: 'P2',
    violation_type: 'api_not_allowed',
    rule: 'allowed_apis:',
    actionKind: 'http_call',
    profileVersion: 1,
    profileSha256: Buffer.from(bytes('profile', 32)).toString('hex'),
    action: Buffer.from(bytes(`action ${n}`, 32)).toString('hex'),
    ...leaf,
  });
  const salt = Buffer.from(bytes(`salt ${n}`, 16)).toString('base64url');
  const openings = { action: { salt, value: { type: 'http_call', n } } };
  const envelope = plainEnvelope(whole, { accountId, cadenceSeconds: 1, apiKeyId: null, openings });
  return { ...envelope, countsAction: true, coverage: 'governed' };
}

/** Denial `n` at offset `n`, appended `atMs` after the start. */
export function violation(n: number, atMs = n, leaf: Partial<LeafEvent> = {}): Violation {
  return readViolation(denied(n, leaf), { offset: n, appendedAtMs: START + atMs })!;
}

export function notice(destinationId: string, one: Violation): Notice {
  return { key: threadKey(destinationId, one), destinationId, violation: one };
}

export function destination(id: string, parts: Partial<Destination> = {}): Destination {
  return {
    id,
    accountId: ACCOUNT,
    kind: 'webhook',
    destination: 'https://hooks.example.com/a',
    minSeverity: 'P3',
    enabled: true,
    createdAt: new Date(START).toISOString(),
    disabledAt: null,
    disabledReason: null,
    sealedSecret: null,
    revision: 1,
    ...parts,
  };
}
