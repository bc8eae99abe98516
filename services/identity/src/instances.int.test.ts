import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mongoose';
import { FIRST, runIdentity } from './service.test-context.js';
import { addFactorUser, logIn } from './second-factor.test-context.js';
import type { Answer, Running } from './service.test-context.js';
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

    it('accept a code of a second factor once, and count wrong ones together', async () => {
      const admin = (await one.ask('POST', '/v1/auth/login', CREDENTIALS)).body.token as string;
      const clock = { ms: 0 };
      const user = await addFactorUser(one, admin, 'two@factor.example', clock);
      other.advance(clock.ms);
      const finish = (instance: Running, token: string, code: string): Promise<Answer> =>
        instance.ask('POST', '/v1/auth/second-factor', { token, code });
      const tokens = await Promise.all(
        [one, other, one, other].map(async (instance) => (await logIn(instance, user.email)).body.secondFactor.token),
      );
      const code = user.code();
      other.advance(30_000);
      const raced = await Promise.all(tokens.map((token, n) => finish(n % 2 === 0 ? one : other, token, code)));
      expect(raced.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
      const { token } = (await logIn(one, user.email)).body.secondFactor;
      const guess = (_: unknown, n: number): Promise<Answer> =>
        finish(n % 2 === 0 ? one : other, token, String(100_000 + n));
      const guesses = await Promise.all(Array.from({ length: 24 }, guess));
      // Three of five failed above. Concurrent guesses refuse each other: some may be left.
      for (let n = 0; n < 6; n += 1) guesses.push(await guess(null, n));
      expect(guesses.filter(({ status }) => status === 401)).toHaveLength(2);
      const next = user.code();
      other.advance(30_000);
      for (const instance of [one, other]) {
        const locked = await finish(instance, token, next);
        expect([locked.status, Number(locked.headers.get('retry-after')) > 600]).toEqual([429, true]);
      }
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
