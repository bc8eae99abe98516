import { createHash } from 'node:crypto';
import type { EventEnvelope } from '@countersign/contracts';
import { plainEnvelope, plainLeaf, uuidV7 } from '@countersign/evidence';

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
  const hex = (seed: string): string => Buffer.from(bytes(seed, 32)).toString('hex');
  const leaf = plainLeaf({
    type: 'action.checked',
    eventId: uuidV7(occurredAtMs, bytes(`event ${n}`, 10)),
    agentId: agentId(agent),
    occurredAt: new Date(occurredAtMs).toISOString(),
    outcome: 'allowed',
    allowed: true,
    actionKind: 'http_call',
    profileVersion: 1,
    profileSha256: hex(`profile ${agent}`),
    action: hex(`action ${n}`),
  });
  const plain = plainEnvelope(leaf, { accountId: 'account', cadenceSeconds, apiKeyId: null, openings: {} });
  return { ...plain, countsAction: true, countsRate: true, coverage: 'none' };
}
