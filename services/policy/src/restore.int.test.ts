import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UsageFacts } from '@countersign/contracts';
import { uuidV7 } from '@countersign/evidence';
import { TopicAhead } from '@countersign/topics';
import type { RestoreContext, StoreAdapters } from '@countersign/service-kit';
import { CheckFollower } from './follow/check-follower.js';
import { UsagePublisher } from './follow/usage-publisher.js';
import { ACCOUNT, AGENT, check, newest, openBench } from './policy.test-context.js';
import type { Bench } from './policy.test-context.js';
import { restoreFromTopics } from './restore.js';
import { openSqlitePolicyStore } from './store/open.js';
import type { PolicyStore } from './store/port.js';

const CALLER = { accountId: ACCOUNT, actor: { kind: 'user', id: 'u-1' }, apiKeyId: null } as const;
const T = Date.UTC(2026, 2, 1, 12);
const wet = { dryRun: false, progress: () => undefined };

describe('a store of policy brought up to its topics', () => {
  let bench: Bench;
  let directory: string;
  beforeEach(async () => {
    bench = await openBench();
    directory = mkdtempSync(join(tmpdir(), 'policy-restored-'));
    await bench.changes.create(AGENT, CALLER, { name: 'Booking', type: null, purpose: null, version: null });
  });
  afterEach(async () => {
    await bench.cleanup();
    rmSync(directory, { recursive: true, force: true });
  });

  const context = (): RestoreContext => ({
    ...bench.context,
    openStore: async <T>(_adapters: StoreAdapters<T>) => (await restored()) as unknown as T,
  });
  const restored = (): Promise<PolicyStore> => openSqlitePolicyStore(join(directory, 'policy.sqlite'));

  /** Checks, each counted by itself and published. */
  async function checks(from: number, count: number): Promise<void> {
    const publisher = new UsagePublisher(bench.context, bench.store, bench.announcer);
    for (let n = from; n < from + count; n += 1) {
      const eventId = uuidV7(T + n, new Uint8Array(10).fill(n));
      const value = JSON.stringify(check({ eventId, occurredAtMs: T + n, costMicros: 5 }));
      await bench.eventLog.append([{ topic: 'agent-events', key: AGENT, value }]);
      const position = (await bench.store.position(0)) ?? 0;
      const records = await bench.eventLog.read('agent-events', 0, position, 100);
      await bench.follower.handle({ topic: 'agent-events', partition: 0, records, endOffset: position });
      await publisher.publish();
    }
  }

  async function published(): Promise<Map<string, { version: number; value: UsageFacts | null }>> {
    return newest<UsageFacts>(bench.eventLog, 'usage');
  }

  it('has the agents and profiles that were published, frozen ones since their last change', async () => {
    await restoreFromTopics(context(), wet);
    await bench.changes.update(CALLER, AGENT, { name: 'Travel' });
    const { facts, frozenAtMs, revision } = await bench.changes.freeze(CALLER, AGENT, null);
    const dry = await restoreFromTopics(context(), { ...wet, dryRun: true });
    expect(dry.adopted).toEqual([`agent ${AGENT}: revision 1 → revision 3, profile 1`]);
    expect(await restoreFromTopics(context(), wet)).toEqual(dry);
    const store = await restored();
    const found = (await store.find(AGENT))!;
    expect(found).toMatchObject({ facts, revision });
    expect(found.frozenAtMs).toBeGreaterThanOrEqual(frozenAtMs);
    await store.close();
  });

  it('has a registration again, and the transaction that it took', async () => {
    await restoreFromTopics(context(), wet);
    const registration = { walletAddress: 'wallet', transactionSignature: 'transaction' };
    const { facts } = await bench.changes.register(CALLER, AGENT, registration);
    await restoreFromTopics(context(), wet);
    const store = await restored();
    expect((await store.find(AGENT))?.facts).toEqual(facts);
    expect(facts).toMatchObject({ wallet_address: 'wallet', chain_tx_signature: 'transaction' });
    expect(await store.registeredBy('transaction')).toBe(AGENT);
    await store.close();
  });

  it('follows nothing before: a freeze would get the revision of another published change', async () => {
    const ahead = Promise.reject(new TopicAhead('topic agents holds version 3'));
    const follower = new CheckFollower(bench.context, bench.store, bench.announcer, ahead);
    const records = await bench.eventLog.read('agent-events', 0, 0, 100);
    const batch = { topic: 'agent-events', partition: 0, records, endOffset: 1 } as const;
    await expect(follower.handle(batch)).rejects.toThrow(TopicAhead);
    expect(await bench.store.position(0)).toBeNull();
  });

  it('counts again what was counted, and publishes it in versions above those before', async () => {
    await checks(1, 4);
    const before = await published();
    const { adopted } = await restoreFromTopics(context(), wet);
    expect(adopted).toEqual([expect.stringContaining(AGENT), 'totals: 5 events counted again']);
    const store = await restored();
    const rows = await store.unpublished('', 100);
    for (const key of [`account:${ACCOUNT}`, `agent:${AGENT}`]) {
      const row = rows.find((one) => one.key === key);
      expect(row?.value).toEqual(before.get(key)?.value);
      expect(row?.version).toBeGreaterThan(before.get(key)!.version);
    }
    expect(await store.positions()).toEqual({ 0: 5 });
    await store.close();
    expect((await restoreFromTopics(context(), wet)).adopted).toEqual([]);
  });
});
