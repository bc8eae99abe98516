import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { dropDatabase, killedChild } from '@countersign/test-kit';
import { createConnection } from 'mongoose';
import { openMongoIdentityStore } from './open.js';
import type { IdentityStore } from './port.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const CHILD = fileURLToPath(new URL('mongo-killed.test-child.js', import.meta.url));
const KILLS = 3;

if (SERVER === undefined) {
  describe.skip('needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => it('has no server', () => undefined));
} else {
  const url = new URL(SERVER);
  url.pathname = `/identity_killed_${randomUUID().slice(0, 8)}`;
  let store: IdentityStore;
  beforeAll(async () => {
    store = await openMongoIdentityStore(url.href);
  });
  afterAll(async () => {
    await store.close();
    const connection = await createConnection(url.href).asPromise();
    await dropDatabase(connection);
    await connection.close();
  });

  /** Which parts of each change are stored. */
  async function partsOf(ids: readonly string[]): Promise<readonly ReadonlySet<boolean>[]> {
    const pending = (await store.outbox.pending(10_000)).map(({ record }) => `${record.topic} ${record.key}`);
    const announced = (await store.announcements.unannounced(10_000)).map(({ kind, id }) => `${kind} ${id}`);
    return Promise.all(
      ids.map(async (id) => {
        const parts = await Promise.all([
          store.account(id),
          store.user(id),
          store.userByEmail(`${id}@x.example`),
          store.apiKey(id),
          store.session(id),
        ]);
        return new Set([
          ...parts.map((part) => part !== null),
          ...['accounts', 'api-keys', 'sessions'].map((topic) => pending.includes(`${topic} ${id}`)),
          ...['account', 'api-key', 'session'].map((kind) => announced.includes(`${kind} ${id}`)),
        ]);
      }),
    );
  }

  /** Reads the parts again: a killed process's last command may take effect during the first read. */
  async function settledParts(ids: readonly string[]): Promise<readonly ReadonlySet<boolean>[]> {
    const parts = await partsOf(ids);
    if (parts.every(({ size }) => size === 1)) return parts;
    await sleep(1000);
    return partsOf(ids);
  }

  it('a change that is killed at any moment is stored completely, with its records, or not at all', async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const prefixes = [`a${kill}`, `b${kill}`];
      const written = await Promise.all(
        prefixes.map((prefix) => killedChild(CHILD, [url.href, prefix], Math.random() * 300)),
      );
      for (const [i, prefix] of prefixes.entries()) {
        const acknowledged = written[i]!.length;
        // One more may have been in progress.
        const parts = await settledParts(Array.from({ length: acknowledged + 2 }, (_, n) => `${prefix}-${n}`));
        expect(parts.map(({ size }) => size)).toEqual(parts.map(() => 1));
        expect(parts.slice(0, acknowledged).every((whole) => whole.has(true))).toBe(true);
        expect(parts.at(-1)!.has(false)).toBe(true);
      }
    }
  }, 120_000);
}
