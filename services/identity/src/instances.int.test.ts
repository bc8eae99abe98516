import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mongoose';
import { FIRST, runIdentity } from './service.test-context.js';
import type { Running } from './service.test-context.js';
import { openMongoIdentityStore } from './store/open.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const CREDENTIALS = { email: FIRST.email, password: FIRST.password };

if (SERVER === undefined) {
  describe.skip('needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => it('has no server', () => undefined));
} else {
  describe('two instances of identity on one MongoDB', () => {
    const url = new URL(SERVER);
    url.pathname = `/identity_instances_${randomUUID().slice(0, 8)}`;
    let one: Running;
    let other: Running;
    beforeAll(async () => {
      const environment = {
        COUNTERSIGN_PROFILE: 'distributed',
        MONGODB_URI: url.href,
        KAFKA_BROKERS: '127.0.0.1:1',
        REDIS_URL: 'redis://127.0.0.1:1',
        SOLANA_RPC_URL: 'http://127.0.0.1:1',
      };
      const dataDir = mkdtempSync(join(tmpdir(), 'identity-instances-'));
      one = await runIdentity(environment, dataDir);
      await one.operator.createFirst(FIRST);
      other = await runIdentity(environment, dataDir, one);
    }, 60_000);
    afterAll(async () => {
      await other.stop();
      await one.cleanup();
      const connection = await createConnection(url.href).asPromise();
      await connection.dropDatabase();
      await connection.close();
    });

    it('see each other\u2019s sessions, keys and users at once', async () => {
      const { body } = await one.ask('POST', '/v1/auth/login', CREDENTIALS);
      const token = body.token as string;
      const issued = await other.ask('POST', '/v1/api-keys', { name: 'ci' }, token);
      expect(issued.status).toBe(201);
      const listed = await one.ask('GET', '/v1/api-keys', undefined, token);
      expect(listed.body.apiKeys[0]).toMatchObject({ id: issued.body.id });
      expect((await other.ask('POST', '/v1/auth/logout', undefined, token)).status).toBe(204);
      expect((await one.ask('GET', '/v1/api-keys', undefined, token)).status).toBe(401);
    }, 60_000);

    it('create the first account once, on concurrent starts', async () => {
      await Promise.all([one, other].map(({ operator }) => operator.createFirst({ ...FIRST, accountName: 'Again' })));
      const store = await openMongoIdentityStore(url.href);
      expect(await store.account(FIRST.accountId)).toMatchObject({ version: 1, facts: { name: 'First account' } });
      await store.close();
    }, 60_000);

    it('allow no more guesses together than one would alone', async () => {
      const wrong = { ...CREDENTIALS, password: 'not this one' };
      const attempts = await Promise.all(
        Array.from({ length: 24 }, (_, n) => (n % 2 === 0 ? one : other).ask('POST', '/v1/auth/login', wrong)),
      );
      expect(attempts.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(10);
      expect(new Set(attempts.map(({ status }) => status))).toEqual(new Set([401, 429]));
      for (const instance of [one, other]) {
        expect((await instance.ask('POST', '/v1/auth/login', CREDENTIALS)).status).toBe(429);
      }
    }, 60_000);
  });
}
