import { createHash } from 'node:crypto';
import type { LeafEvent } from '@countersign/contracts';
import { plainLeaf, uuidV7 } from '@countersign/evidence';
import type { FormattedEvent } from '../formatted-event.js';

export const ACCOUNT = 'account-a';
export const AGENT = '2b0c1f5e-6f0a-4c1d-8a3e-5d7f9b1c2e4a';
const START = Date.parse('2026-03-01T09:30:00.000Z');

/** The same bytes for the same words. */
function bytes(seed: string, length: number): Uint8Array {
  return new Uint8Array(createHash('sha256').update(seed).digest().subarray(0, length));
}

export function eventId(n: number): string {
  return uuidV7(START + n, bytes(`event ${n}`, 10));
}

/** Event `n` of its agent: nothing but its type and a commitment, unless `leaf` says otherwise. */
export function other(n: number, type: LeafEvent['type'], leaf: Partial<LeafEvent> = {}): FormattedEvent {
  const head = { type, eventId: eventId(n), refersTo: null, agentId: AGENT };
  const occurredAt = new Date(START + n).toISOString();
  const action = Buffer.from(bytes(`action ${n}`, 32)).toString('hex');
  const salt = Buffer.from(bytes(`salt ${n}`, 16)).toString('base64url');
  return {
    sequence: n,
    leaf: { ...plainLeaf({ ...head, occurredAt, action }), ...leaf },
    openings: { action: { salt, value: { type: 'http_call', n } } },
  };
}

/** An allowed check. */
export function checked(n: number, leaf: Partial<LeafEvent> = {}): FormattedEvent {
  return other(n, 'action.checked', {
    outcome: 'allowed',
    allowed: true,
    actionKind: 'http_call',
    profileVersion: 1,
    profileSha256: Buffer.from(bytes('profile', 32)).toString('hex'),
    ...leaf,
  });
}

export function denied(n: number, leaf: Partial<LeafEvent> = {}): FormattedEvent {
  return checked(n, {
    outcome: 'denied',
    allowed: false,
    reason: 'The API is not on the allow list.',
    severity: 'P2',
    violation_type: 'api_not_allowed',
    rule: 'allowed_apis:',
    ...leaf,
  });
}
