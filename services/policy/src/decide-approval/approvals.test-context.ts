import type { ApiKeyFacts, EventEnvelope } from '@countersign/contracts';
import type { SessionCaller } from '@countersign/http-edge';
import { asking } from '../domain/approvals.test-context.js';
import { ACCOUNT, AGENT } from '../policy.test-context.js';
import type { Bench, Parts } from '../policy.test-context.js';
import { Approvals } from './approvals.js';
import type { KeyIssuers } from './approvals.js';

export const CALLER = { accountId: ACCOUNT, actor: { kind: 'user', id: 'u-alice' }, apiKeyId: null } as const;
export const FIELDS = { name: 'Booking', type: null, purpose: null, version: null };

/** A person with a session; the id of the user is `u-<name>`. */
export function person(name: string, role: SessionCaller['role'] = 'admin', accountId = ACCOUNT): SessionCaller {
  return { sessionId: `s-${name}`, accountId, userId: `u-${name}`, email: `${name}@example.com`, role };
}

/** Alice issued the key `key`. */
export const ISSUERS = {
  get: (id: string) => (id === 'key' ? { version: 1, value: { createdBy: 'u-alice' } } : undefined),
  caughtUp: async () => undefined,
  problem: () => null,
} as unknown as KeyIssuers & { get(id: string): { value: Pick<ApiKeyFacts, 'createdBy'> } | undefined };

export function approvalsOf({ context, store, announcer }: Parts): Approvals {
  return new Approvals(context, store, announcer, ISSUERS);
}

/** Appends messages, and follows what the log has beyond the stored position. */
export async function follow(bench: Bench, envelopes: readonly EventEnvelope[], run: Parts = bench): Promise<void> {
  await bench.eventLog.append(
    envelopes.map((envelope) => ({ topic: 'agent-events', key: AGENT, value: JSON.stringify(envelope) })),
  );
  for (;;) {
    const from = (await bench.store.position(0)) ?? 0;
    const records = await bench.eventLog.read('agent-events', 0, from, 1000);
    if (records.length === 0) return;
    await run.follower.handle({ topic: 'agent-events', partition: 0, records, endOffset: from + records.length });
    await run.announcer.announce();
  }
}

/** An agent whose check 1 asks for an approval. */
export async function asked(bench: Bench, over: Parameters<typeof asking>[1] = {}): Promise<void> {
  await bench.changes.create(AGENT, CALLER, FIELDS);
  await follow(bench, [asking(1, over)]);
}
