import { StoreUnreachable } from '@countersign/document-store';
import { persistently, someMongoFaults, StoresUnderFaults } from '@countersign/test-kit';
import { createConnection } from 'mongoose';
import { onPlan } from '../domain/plans.js';
import { openMongoIdentityStore } from './open.js';
import type { IdentityStore } from './port.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const KEYS = 5;
const RECORDS = 60;
const VERSIONS = 12;
const ACCOUNTS = ['account-a', 'account-b'];

const key = (n: number) => {
  const sha256 = String(n).padStart(64, '0');
  const facts = { accountId: 'account-a', name: 'key', prefix: 'p', sha256, createdAt: '', revokedAt: null };
  return { id: `key-${n}`, version: 1, facts };
};
const usedAt = (offset: number): string => new Date(Date.UTC(2026, 2, 1) + ((offset * 31) % 97) * 1000).toISOString();

if (SERVER === undefined) {
  describe.skip('needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => it('has no server', () => undefined));
} else {
  let opened: StoresUnderFaults<IdentityStore>;
  beforeAll(async () => {
    opened = await StoresUnderFaults.open(SERVER, 'identity', createConnection, openMongoIdentityStore);
  });
  afterAll(() => opened.close());

  it('continues, and publishes each change once, while answers are lost or late, and writes finish after their time-out', async () => {
    const { proxy, direct, stores } = opened;
    const keys = Array.from({ length: KEYS }, (_, n) => key(n));
    expect(await direct.write({ apiKeys: keys })).toBe('written');
    proxy.decide(someMongoFaults(6, 5));
    const follow = async (store: IdentityStore, size: number): Promise<void> => {
      for (let at = 0; at < RECORDS; at += size) {
        const next = Math.min(at + size, RECORDS);
        const used = new Map<string, string>();
        for (let offset = at; offset < next; offset += 1) {
          const id = `key-${offset % KEYS}`;
          if (usedAt(offset) > (used.get(id) ?? '')) used.set(id, usedAt(offset));
        }
        await persistently(() => store.used(0, next, used));
      }
    };
    /** Retries a change in doubt, like a client that has read its state. */
    const change = async (store: IdentityStore, id: string): Promise<void> => {
      for (let version = 1; version <= VERSIONS;) {
        const facts = onPlan(`${id} ${version}`, 'core', {}, 0);
        try {
          await store.write({ accounts: [{ id, version, facts }] });
        } catch (error) {
          if (!(error instanceof StoreUnreachable)) throw error;
        }
        version = ((await persistently(() => store.account(id)))?.version ?? 0) + 1;
      }
    };
    await Promise.all([
      ...[follow(stores[0]!, 6), follow(stores[1]!, 11)],
      ...ACCOUNTS.map((id, n) => change(stores[n]!, id)),
    ]);
    proxy.heal();
    for (const count of Object.values(proxy.faults)) expect(count).toBeGreaterThan(0);

    expect(await direct.position(0)).toBe(RECORDS);
    for (const { id } of keys) {
      const uses = Array.from({ length: RECORDS }, (_, offset) => offset).filter((n) => `key-${n % KEYS}` === id);
      expect((await direct.apiKey(id))?.lastUsedAt).toBe(uses.map(usedAt).sort().at(-1));
    }
    const versions = Array.from({ length: VERSIONS }, (_, n) => n + 1);
    const pending = await direct.outbox.pending(1000);
    for (const id of ACCOUNTS) {
      const published = pending.filter(({ record }) => record.topic === 'accounts' && record.key === id);
      expect(published.map(({ record }) => (JSON.parse(record.value) as { version: number }).version)).toEqual(
        versions,
      );
    }
  });
}
