import { createHash } from 'node:crypto';
import type { EventEnvelope } from '@countersign/contracts';
import { uuidV7 } from '@countersign/evidence';

/** The same bytes for the same number. */
function bytes(seed: string, length: number): Uint8Array {
  return new Uint8Array(createHash('sha256').update(seed).digest().subarray(0, length));
}

/** A UUID that belongs to a number. */
export function agentId(n: number): string {
  const hex = Buffer.from(bytes(`agent ${n}`, 16)).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

export interface EnvelopeParts {
  readonly n: number;
  readonly agent: number;
  readonly cadenceSeconds?: number;
  readonly occurredAtMs?: number;
}

/** A valid envelope of an allowed check; event `n` is always the same event. */
export function envelope({
  n,
  agent,
  cadenceSeconds = 1,
  occurredAtMs = 1_790_000_000_000,
}: EnvelopeParts): EventEnvelope {
  return {
    v: 1,
    leaf: {
      v: 1,
      type: 'action.checked',
      eventId: uuidV7(occurredAtMs, bytes(`event ${n}`, 10)),
      refersTo: null,
      agentId: agentId(agent),
      occurredAt: new Date(occurredAtMs).toISOString(),
      outcome: 'allowed',
      allowed: true,
      reason: null,
      severity: null,
      violation_type: null,
      rule: null,
      detail: null,
      actionKind: 'http_call',
      profileVersion: 1,
      profileSha256: Buffer.from(bytes(`profile ${agent}`, 32)).toString('hex'),
      action: Buffer.from(bytes(`action ${n}`, 32)).toString('hex'),
      payload: null,
    },
    openings: {},
    accountId: 'account',
    cadenceSeconds,
    costMicros: 0,
    countsAction: true,
    countsRate: true,
    freezesAgent: false,
    apiKeyId: null,
    idempotency: null,
    answer: null,
    coverage: 'none',
  };
}
