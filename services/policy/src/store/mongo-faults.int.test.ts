import { persistently, someMongoFaults, StoresUnderFaults } from '@countersign/test-kit';
import { createConnection } from 'mongoose';
import { AGENTS, CHANGES_EACH, decideLoad, loadAgent, loadEvent, T, usageOf } from './follow-load.test-double.js';
import type { LoadEvent } from './follow-load.test-double.js';
import { openMongoPolicyStore } from './open.js';
import type { PolicyStore } from './port.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const PARTITIONS = [2, 5, 7];
const EVENTS = 30;

/** A partition in which a batch of appended events whose acknowledgement was lost stands once more, right behind itself. */
function logOf(partition: number): readonly LoadEvent[] {
  const log: LoadEvent[] = [];
  for (let n = 0; n < EVENTS; n += CHANGES_EACH) {
    const appended = Array.from({ length: CHANGES_EACH }, (_, i) => loadEvent(partition, n + i));
    log.push(...appended, ...appended.slice(0, 1 + (n % 4)));
  }
  return log.map((event, offset) => ({ ...event, offset }));
}

if (SERVER === undefined) {
  describe.skip('needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => it('has no server', () => undefined));
} else {
  let opened: StoresUnderFaults<PolicyStore>;
  beforeAll(async () => {
    opened = await StoresUnderFaults.open(SERVER, 'policy', createConnection, openMongoPolicyStore);
  });
  afterAll(() => opened.close());

  it('counts each check once while answers are lost, late, and writes are done after their time-out', async () => {
    const { proxy, direct, stores } = opened;
    for (const partition of PARTITIONS) {
      for (const name of AGENTS) await direct.create({ agent: loadAgent(`${name}${partition}`), records: [] });
    }
    proxy.decide(someMongoFaults(6, 7));
    const follow = async (store: PolicyStore, partition: number, size: number): Promise<void> => {
      const log = logOf(partition);
      for (let at = 0; at < log.length; at += size) {
        const events = log.slice(at, at + size);
        const batch = { partition, next: at + events.length, logTimeMs: T, events };
        await persistently(() => store.follow(batch, decideLoad));
      }
    };
    // The second follows everything beside the first, in other batches, as one that has lost its partitions does.
    await Promise.all(
      PARTITIONS.flatMap((partition) => [follow(stores[0]!, partition, 6), follow(stores[1]!, partition, 10)]),
    );
    proxy.heal();
    for (const count of Object.values(proxy.faults)) expect(count).toBeGreaterThan(0);

    const ends = Object.fromEntries(PARTITIONS.map((partition) => [partition, logOf(partition).length]));
    expect(await direct.positions()).toEqual(ends);
    const usage = await usageOf(direct);
    for (const n of [0, 1]) {
      const actions = (PARTITIONS.length * EVENTS) / 2;
      expect(usage.get(`account:account ${n}`)).toMatchObject({ actionsEver: actions, actionsInPeriod: actions });
    }
    for (const partition of PARTITIONS) {
      for (const [n, name] of AGENTS.entries()) {
        const dayMicros = Array.from({ length: EVENTS / 3 }, (_, i) => i * 3 + n).reduce((sum, cost) => sum + cost, 0);
        expect(usage.get(`agent:${name}${partition}`)).toMatchObject({ dayMicros });
      }
    }
  });
}
