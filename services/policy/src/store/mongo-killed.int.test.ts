import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { dropDatabase, killedChild, persistently } from '@countersign/test-kit';
import { createConnection } from 'mongoose';
import { AGENTS, CHANGES_EACH, followLoad, loadAgent, usageOf } from './follow-load.test-double.js';
import { openMongoPolicyStore } from './open.js';
import type { PolicyStore } from './port.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const CHILD = fileURLToPath(new URL('mongo-killed.test-child.js', import.meta.url));
const END = 600;
const KILLS = 3;

if (SERVER === undefined) {
  describe.skip('needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => it('has no server', () => undefined));
} else {
  const url = new URL(SERVER);
  url.pathname = `/policy_killed_${randomUUID().slice(0, 8)}`;
  let store: PolicyStore;
  beforeAll(async () => {
    store = await openMongoPolicyStore(url.href);
  });
  afterAll(async () => {
    await store.close();
    const connection = await createConnection(url.href).asPromise();
    await dropDatabase(connection);
    await connection.close();
  });

  it('a follower that is killed at any moment counts nothing twice and nothing not at all', async () => {
    for (const name of AGENTS) await store.create({ agent: loadAgent(`${name}0`), records: [] });
    let stood = 0;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      // A zombie of the partition's last owner runs beside it, in other batches.
      const lines = await Promise.all(
        ['7', '11'].map((size) => killedChild(CHILD, [url.href, String(END), size], Math.random() * 400)),
      );
      const acknowledged = Math.max(0, ...lines.flat().map(Number));
      const stands = (await store.position(0)) ?? 0;
      expect(stands).toBeGreaterThanOrEqual(Math.max(stood, acknowledged));
      stood = stands;
    }
    // A transaction of a killed process holds its documents until the server ends it: a batch is repeated until then.
    await persistently(async () => followLoad(store, 0, (await store.position(0)) ?? 0, END, 50));

    const usage = await usageOf(store);
    for (const n of [0, 1]) expect(usage.get(`account:account ${n}`)).toMatchObject({ actionsEver: END / 2 });
    for (const [n, name] of AGENTS.entries()) {
      const offsets = Array.from({ length: END / 3 }, (_, i) => i * 3 + n);
      const dayMicros = offsets.reduce((sum, offset) => sum + offset, 0);
      expect(usage.get(`agent:${name}0`)).toMatchObject({ dayMicros, offset: offsets.at(-1)! + 1 });
      const agent = (await store.find(`${name}0`))!;
      const published = (await store.outbox.pending(10_000)).map(({ record }) => record);
      const revisions = Array.from({ length: agent.revision - 1 }, (_, i) => `${name}0:${i + 2}`);
      expect(published.filter(({ key }) => key === `${name}0`).map(({ value }) => value)).toEqual(revisions);
      const announced = (await store.announcements.unannounced(10_000)).filter(({ id }) => id === `${name}0`);
      expect(announced.map(({ version }) => version)).toEqual([1, ...revisions.map((_, i) => i + 2)]);
    }
    expect([...usage.keys()].filter((key) => key.startsWith('claim:'))).toHaveLength(END / CHANGES_EACH);
  }, 120_000);
}
