import { uuidV7 } from '@countersign/evidence';
import { createAgent } from '../domain/life-cycle.js';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { Agent } from '../domain/agent.js';
import { countForAccount, countForAgent } from '../domain/usage.js';
import type { Claim, Counted } from '../domain/usage.js';
import type { AgentWrite, FollowedEvent, FollowEffects, FollowState, PolicyStore } from './port.js';

export const T = Date.UTC(2026, 2, 1);
export const AGENTS = ['a', 'b', 'c'];
/** Every event of such an offset changes its agent and claims a key. */
export const CHANGES_EACH = 5;

export interface LoadEvent extends FollowedEvent, Counted {}

/** The event of an offset, always the same; three agents a partition, two accounts over all. */
export function loadEvent(partition: number, offset: number): LoadEvent {
  const eventId = uuidV7(T + offset, new Uint8Array(10).fill(partition));
  const agentId = `${AGENTS[offset % 3]}${partition}`;
  const accountId = `account ${offset % 2}`;
  const counts = { countsAction: true, countsRate: true, costMicros: offset };
  const limits = [{ key: 'k', windowSeconds: 60, amount: { units: offset, nanos: 5 }, reserve: true }];
  const ruleCounts = { facts: [{ id: 'f', key: `s${offset % 4}`, expiresAtMs: T + offset + 60_000 }], limits };
  const ruled = { order: offset + 1, ruleCounts };
  return { partition, offset, eventId, agentId, accountId, occurredAtMs: T + offset, ...counts, ...ruled };
}

export function loadAgent(id: string): Agent {
  const fields = { name: id, type: null, purpose: null, version: null };
  return createAgent(id, 'account 0', fields, { kind: 'user', id: 'u' }, T, nodeCrypto.sha256).agent;
}

/** As the service decides: totals add up; a change of an agent is one that its own state says is still to be made. */
export function decideLoad(fresh: readonly LoadEvent[], state: FollowState): FollowEffects {
  const by = (key: 'agentId' | 'accountId') => [...new Set(fresh.map((each) => each[key]))];
  const of = (key: 'agentId' | 'accountId', id: string) => fresh.filter((each) => each[key] === id);
  const claims = fresh.filter(({ offset }) => offset % CHANGES_EACH === 0).map(claimOf);
  const agents = by('agentId').flatMap((id): readonly AgentWrite[] => {
    const agent = state.agent(id);
    const last = of('agentId', id).findLast(({ offset }) => offset % CHANGES_EACH === 0);
    if (agent === null || last === undefined || agent.frozenAtMs >= last.occurredAtMs) return [];
    const revision = agent.revision + 1;
    const record = { topic: 'agents', key: id, value: `${id}:${revision}` } as const;
    return [{ agent: { ...agent, revision, frozenAtMs: last.occurredAtMs }, records: [record] }];
  });
  return {
    agentTotals: by('agentId').map((id) => countForAgent(state.agentTotals(id), id, of('agentId', id), null)),
    accountTotals: by('accountId').map((id) => countForAccount(state.accountTotals(id), id, of('accountId', id))),
    claims,
    agents,
    approvals: [],
  };
}

function claimOf({ accountId, eventId, occurredAtMs, offset, partition }: LoadEvent): Claim {
  const keySha256 = `key ${partition} ${offset}`;
  return { accountId, keySha256, bodySha256: 'b', eventId, occurredAtMs, answer: { status: 200 } };
}

/** Follows a partition from `from` in batches of at most `size`; reports each. */
export async function followLoad(
  store: PolicyStore,
  partition: number,
  from: number,
  end: number,
  size: number,
  followed: (next: number) => void = () => undefined,
): Promise<void> {
  for (let at = from; at < end; at += size) {
    const next = Math.min(at + size, end);
    const events = Array.from({ length: next - at }, (_, i) => loadEvent(partition, at + i));
    await store.follow({ partition, next, logTimeMs: T, events }, decideLoad);
    followed(next);
  }
}

/** `usage` rows by key. */
export async function usageOf(store: PolicyStore): Promise<ReadonlyMap<string, unknown>> {
  return new Map((await store.unpublished('', 1000)).map(({ key, value }) => [key, value]));
}
