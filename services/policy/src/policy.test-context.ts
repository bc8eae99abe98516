import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccountFacts, EventEnvelope, HeldAmount, TopicName, VersionedRecord } from '@countersign/contracts';
import type { Counters, GivenBackSums } from '@countersign/counters';
import { openSqliteLog } from '@countersign/event-log';
import type { EventLog } from '@countersign/event-log';
import { createLogger, createRegistry } from '@countersign/process';
import { Announcer, OutboxRelay } from '@countersign/topics';
import type { ServiceContext } from '@countersign/service-kit';
import { AgentChanges } from './change-agent/agent-changes.js';
import { ChangeBounds } from './change-agent/change-bounds.js';
import { CheckFollower } from './follow/check-follower.js';
import { openSqlitePolicyStore } from './store/open.js';
import type { PolicyStore } from './store/port.js';

/** Agents of an account. */
export const MOST_AGENTS = 5;

export const ACCOUNT = '11111111-1111-4111-8111-111111111111';
export const OTHER_ACCOUNT = '22222222-2222-4222-8222-222222222222';
export const AGENT = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';

export const FACTS: AccountFacts = {
  name: 'Airline',
  plan: 'scale',
  actionCap: null,
  sandboxExpiresAt: null,
  cadenceSeconds: 300,
};

export interface CountersForTests extends Counters {
  /** The flag is lost, as by a store that lost its data. */
  forgetFreeze(agentId: string): void;
  /** Given-back spending of the agent, as it was reported last. */
  givenBack(agentId: string): GivenBackSums | undefined;
  /** Reserved amounts of the agent, as they were given back. */
  givenBackHeld(agentId: string): readonly HeldAmount[];
}

/** Versions, freeze flags and time as the port has them; the part of `Counters` that policy asks. */
export function countersForTests(start = Date.UTC(2026, 2, 1)): CountersForTests {
  let now = start;
  const versions = new Map<string, number>();
  const frozen = new Set<string>();
  const givenBack = new Map<string, GivenBackSums>();
  const givenBackHeld = new Map<string, HeldAmount[]>();
  const unfrozen = new Map<string, number>();
  const asked: Partial<CountersForTests> = {
    forgetFreeze: (id) => void frozen.delete(id),
    unavailable: () => null,
    now: async () => (now += 1),
    raise: async (kind, id, version) => {
      const key = `${kind}:${id}`;
      versions.set(key, Math.max(version, versions.get(key) ?? 0));
    },
    version: async (kind, id) => versions.get(`${kind}:${id}`) ?? null,
    giveBack: async (id, sums) => void givenBack.set(id, sums),
    givenBack: (id) => givenBack.get(id),
    giveBackHeld: async (id, held) => {
      givenBackHeld.set(id, [...(givenBackHeld.get(id) ?? []), ...held]);
    },
    givenBackHeld: (id) => givenBackHeld.get(id) ?? [],
    freeze: async (id, atMs) => {
      if ((unfrozen.get(id) ?? 0) < atMs) frozen.add(id);
    },
    unfreeze: async (id) => {
      frozen.delete(id);
      unfrozen.set(id, (now += 1));
      return now;
    },
    isFrozen: async (id) => frozen.has(id),
  };
  return asked as CountersForTests;
}

export interface Parts {
  readonly context: ServiceContext;
  readonly store: PolicyStore;
  readonly announcer: Announcer;
  readonly changes: AgentChanges;
  readonly follower: CheckFollower;
}

/** The parts of one run of the service; `wrap` stands between them and what outlives a run. */
export function parts(
  outside: { readonly store: PolicyStore; readonly eventLog: EventLog; readonly counters: Counters },
  directory: string,
): Parts {
  const { store, eventLog, counters } = outside;
  const context = {
    name: 'policy',
    config: { anchorWindowSeconds: null },
    log: createLogger('silent'),
    eventLog,
    counters,
    metrics: createRegistry('test', false),
    directory,
    clock: () => Date.UTC(2026, 2, 1),
  } as unknown as ServiceContext;
  const relay = new OutboxRelay(context, store.outbox);
  const announcer = new Announcer(context, relay, store.announcements, async ({ id }) => {
    const agent = await store.find(id);
    if (agent?.facts.status === 'frozen') await counters.freeze(id, agent.frozenAtMs);
  });
  const changes = new AgentChanges(
    context,
    store,
    announcer,
    async () => FACTS.cadenceSeconds,
    new ChangeBounds(context.metrics, async () => MOST_AGENTS),
  );
  return { context, store, announcer, changes, follower: new CheckFollower(context, store, announcer) };
}

export interface Bench extends Parts {
  readonly eventLog: EventLog;
  readonly counters: CountersForTests;
  readonly file: string;
  readonly directory: string;
  cleanup(): Promise<void>;
}

/** A real log, unless one is given, and a real store in a folder of their own. */
export async function openBench(shared?: EventLog): Promise<Bench> {
  const directory = mkdtempSync(join(tmpdir(), 'policy-'));
  const eventLog = shared ?? (await openSqliteLog({ file: join(directory, 'log.db') }));
  const file = join(directory, 'policy.sqlite');
  const counters = countersForTests();
  const store = await openSqlitePolicyStore(file);
  const made = parts({ store, eventLog, counters }, directory);
  return {
    ...made,
    eventLog,
    counters,
    file,
    directory,
    async cleanup() {
      await made.announcer.stop();
      await store.close();
      if (shared === undefined) await eventLog.close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** Every message of a topic of one partition, in order, parsed. */
export async function readTopic<T>(eventLog: EventLog, topic: TopicName): Promise<T[]> {
  const messages: T[] = [];
  for (let offset = 0; ;) {
    const records = await eventLog.read(topic, 0, offset, 1000);
    if (records.length === 0) return messages;
    messages.push(...records.map(({ value }) => JSON.parse(Buffer.from(value).toString('utf8')) as T));
    offset = records.at(-1)!.offset + 1;
  }
}

export const events = (eventLog: EventLog): Promise<EventEnvelope[]> => readTopic(eventLog, 'agent-events');

export async function newest<T>(eventLog: EventLog, topic: TopicName): Promise<Map<string, VersionedRecord<T>>> {
  const byId = new Map<string, VersionedRecord<T>>();
  for (const record of await readTopic<VersionedRecord<T>>(eventLog, topic)) {
    if (record.version > (byId.get(record.id)?.version ?? 0)) byId.set(record.id, record);
  }
  return byId;
}

/** Envelope of a check, as a gateway writes it. */
export function check(over: {
  readonly eventId: string;
  readonly occurredAtMs: number;
  readonly agentId?: string;
  readonly denied?: boolean;
  readonly countsRate?: boolean;
  readonly freezesAgent?: boolean;
  readonly costMicros?: number;
  readonly keySha256?: string;
}): EventEnvelope {
  const hash = 'a'.repeat(64);
  const denied = over.denied ?? false;
  return {
    v: 1,
    leaf: {
      v: 1,
      type: 'action.checked',
      eventId: over.eventId,
      refersTo: null,
      agentId: over.agentId ?? AGENT,
      occurredAt: new Date(over.occurredAtMs).toISOString(),
      outcome: denied ? 'denied' : 'allowed',
      allowed: !denied,
      reason: denied ? 'blocked' : null,
      severity: denied ? 'P1' : null,
      violation_type: denied ? 'off_limits_action' : null,
      rule: null,
      detail: null,
      actionKind: 'tool_use',
      profileVersion: 1,
      profileSha256: hash,
      action: hash,
      payload: null,
    },
    openings: { action: { salt: 'AAAAAAAAAAAAAAAAAAAAAA', value: { type: 'tool_use' } } },
    accountId: ACCOUNT,
    cadenceSeconds: 300,
    costMicros: over.costMicros ?? 0,
    countsAction: true,
    countsRate: over.countsRate ?? !denied,
    freezesAgent: over.freezesAgent ?? false,
    apiKeyId: null,
    idempotency: over.keySha256 === undefined ? null : { keySha256: over.keySha256, bodySha256: hash },
    answer: null,
    coverage: 'governed',
  };
}
