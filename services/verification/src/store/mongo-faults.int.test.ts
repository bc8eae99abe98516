import { persistently, someMongoFaults, StoresUnderFaults } from '@countersign/test-kit';
import { createConnection } from 'mongoose';
import { openMongoPublicFacts } from './open.js';
import type { PublicFact, PublicFacts } from './port.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const KEYS = 7;
const RECORDS = 80;

/** The record at an offset: a key's next version, and now and then an older one that was sent once more. */
function record(offset: number): PublicFact {
  const id = `key-${offset % KEYS}`;
  const version = 1 + Math.floor(offset / KEYS) - (offset % 5 === 4 ? 2 : 0);
  const value = { publicKeyHex: `${version}`, status: 'active', validFrom: null, validTo: null } as const;
  return { kind: 'key', id, version, value };
}

if (SERVER === undefined) {
  describe.skip('needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => it('has no server', () => undefined));
} else {
  let opened: StoresUnderFaults<PublicFacts>;
  beforeAll(async () => {
    opened = await StoresUnderFaults.open(SERVER, 'verification', createConnection, openMongoPublicFacts);
  });
  afterAll(() => opened.close());

  it('keeps the newest of each while answers are lost, late, and writes are done after their time-out', async () => {
    const { proxy, direct, stores } = opened;
    proxy.decide(someMongoFaults(3, 5));
    const follow = async (store: PublicFacts, size: number): Promise<void> => {
      for (let at = 0; at < RECORDS; at += size) {
        const next = Math.min(at + size, RECORDS);
        const facts = Array.from({ length: next - at }, (_, i) => record(at + i));
        await persistently(() => store.keep(facts, 'signing-keys', 0, next));
        const position = await persistently(() => store.position('signing-keys', 0));
        expect(position).toBeGreaterThanOrEqual(next);
      }
    };
    await Promise.all([follow(stores[0]!, 6), follow(stores[1]!, 11)]);
    proxy.heal();
    for (const count of Object.values(proxy.faults)) expect(count).toBeGreaterThan(0);

    const newest = new Map<string, number>();
    for (let offset = 0; offset < RECORDS; offset += 1) {
      const { id, version } = record(offset);
      newest.set(id, Math.max(version, newest.get(id) ?? 0));
    }
    const kept = await direct.keys();
    expect(kept.map(({ id, facts }) => [id, facts.publicKeyHex])).toEqual(
      [...newest].sort().map(([id, version]) => [id, `${version}`]),
    );
    expect(await direct.position('signing-keys', 0)).toBe(RECORDS);
  });
}
