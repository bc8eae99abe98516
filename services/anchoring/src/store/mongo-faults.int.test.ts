import { nodeCrypto } from '@countersign/process/node-crypto';
import { MongoProxy, persistently, someMongoFaults } from '@countersign/test-kit';
import { agentId } from '../testing/envelopes.js';
import { arrivingLeaf, FIRST_MS } from '../testing/leaves.js';
import { openMongoAnchorStore } from './mongo.js';
import { TestDatabase } from './mongo-test-database.js';
import type { AnchorStore, ArrivingLeaf, LeafCursor, LeafPage, WindowLeaf } from './port.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const PARTITIONS = [2, 5, 7];
const LEAVES = 30;
const AGENTS_EACH = 2;

/** Two agents of a partition; each five leaves, and the last three of them once more: an acknowledgement was lost. */
function logOf(partition: number): readonly ArrivingLeaf[] {
  const leaf = (n: number) => arrivingLeaf(partition * 1000 + n, partition * 10 + (n % AGENTS_EACH));
  const numbers = Array.from({ length: LEAVES }, (_, n) => (n % 5 === 4 ? [n, n - 2, n - 1, n] : [n])).flat();
  return numbers.map((n, offset) => ({ ...leaf(n), offset }));
}

if (SERVER === undefined) {
  describe.skip('needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => it('has no server', () => undefined));
} else {
  const database = new TestDatabase(SERVER);
  const options = { sha256: nodeCrypto.sha256, leaseMs: 60_000 };
  let proxy: MongoProxy;
  let store: AnchorStore;
  let leading: Promise<void> | null = null;
  beforeAll(async () => {
    proxy = await MongoProxy.before(database.uri);
    store = await openMongoAnchorStore(proxy.through(database.uri), options);
  });
  afterAll(async () => {
    proxy.heal();
    await store.close();
    await database.drop();
    await proxy.close();
  });

  /** Leads, or waits for the same of another; takes the lead up again once it has ended. */
  async function lead(): Promise<void> {
    leading ??= store.lead(AbortSignal.timeout(60_000)).then(
      ({ ended }) => void ended.then(() => (leading = null)),
      (error: unknown) => {
        leading = null;
        throw error;
      },
    );
    return leading;
  }

  it('numbers each leaf once while answers are lost, late, and writes are done after their time-out', async () => {
    proxy.decide(someMongoFaults(5, 5));
    const follow = async (partition: number, size: number): Promise<void> => {
      const log = logOf(partition);
      for (let at = 0; at < log.length; at += size) {
        const leaves = log.slice(at, at + size);
        const position = { topic: 'agent-events', partition, next: at + leaves.length } as const;
        await persistently(async () => {
          await lead();
          await store.takeLeaves(leaves, position);
        });
      }
    };
    await Promise.all(PARTITIONS.map((partition, i) => follow(partition, 4 + i)));
    const ends = Object.fromEntries(PARTITIONS.map((partition) => [partition, logOf(partition).length]));
    await persistently(async () => {
      await lead();
      if ((await store.cadences())[0]?.lastEndMs !== null) return;
      await store.cut([{ cadenceSeconds: 1, startMs: FIRST_MS, endMs: FIRST_MS + 1000 }], ends);
    });
    await persistently(async () => {
      await lead();
      await store.completeCut();
    });
    proxy.heal();
    for (const count of Object.values(proxy.faults)) expect(count).toBeGreaterThan(0);

    await lead();
    const cuts = await store.unpublishedCuts(10);
    expect(cuts.map(({ windowId, offsets }) => [windowId, offsets])).toEqual([['1-1', ends]]);
    const leaves: WindowLeaf[] = [];
    let cursor: LeafCursor | null = null;
    do {
      const page: LeafPage = await store.readLeaves(cuts[0]!, cursor, 10_000);
      leaves.push(...page.leaves);
      cursor = page.next;
    } while (cursor !== null);
    expect(leaves).toHaveLength(PARTITIONS.length * LEAVES);
    const hashes = new Map<number, string[]>();
    for (const { agentN, sequence, hash } of leaves) {
      const known = hashes.get(agentN) ?? [];
      hashes.set(agentN, known);
      expect(sequence).toBe(known.push(Buffer.from(hash).toString('hex')));
    }
    const expected = PARTITIONS.flatMap((partition) =>
      Array.from({ length: AGENTS_EACH }, (_, agent) => {
        const id = agentId(partition * 10 + agent);
        const own = logOf(partition).filter((leaf) => leaf.agentId === id);
        return [...new Set(own.map(({ hash }) => Buffer.from(hash).toString('hex')))];
      }),
    );
    expect([...hashes.values()].sort()).toEqual(expected.sort());
  });
}
