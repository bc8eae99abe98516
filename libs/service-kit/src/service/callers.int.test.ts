import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { ApiKeyFacts, SessionFacts } from '@countersign/contracts';
import { mintApiKey } from '@countersign/process';
import { sessionTokens } from '../credentials/session-tokens.js';
import { versionedRecord } from '@countersign/topics';
import { ThingsBench } from './things.test-setup.js';
import type { Answer } from './things.test-setup.js';

describe('callers of a serving thread', () => {
  const bench = new ThingsBench();
  const { send, versions } = bench;
  beforeAll(() => bench.open());
  afterAll(() => bench.close());

  const errorOf = (answer: Answer): unknown => JSON.parse(answer.text).error;

  describe('with a session', () => {
    const account = randomUUID();
    const publish = (sid: string, version: number, facts: Partial<SessionFacts> = {}): Promise<unknown> =>
      bench.eventLog.append([
        versionedRecord<SessionFacts>('sessions', sid, version, {
          accountId: account,
          userId: randomUUID(),
          email: 'admin@example.com',
          role: 'member',
          expiresAt: new Date(Date.now() + 60_000).toISOString(),
          revokedAt: null,
          ...facts,
        }),
      ]);
    const bearer = async (sid: string, accountId = account): Promise<Record<string, string>> => {
      const tokens = await sessionTokens(bench.thread);
      return { authorization: `Bearer ${await tokens.sign({ sid, accountId }, new Date(Date.now() + 60_000))}` };
    };
    const make = async (headers: Record<string, string>, text = '{"name":"a"}'): Promise<Answer> =>
      send('POST', '/v1/things', headers, text);

    it('identifies the caller; checks credentials before the body and the role after it', async () => {
      const [member, auditor] = [randomUUID(), randomUUID()];
      await publish(member, 1);
      await publish(auditor, 1, { role: 'auditor' });
      for (const sid of [member, auditor]) versions.set(`session/${sid}`, 1);
      const made = await make(await bearer(member));
      expect([made.status, made.text]).toEqual([201, '{"name":"a","by":"admin@example.com"}']);
      expect((await make({}, '{')).status).toBe(401);
      expect((await make({}, '{')).headers['www-authenticate']).toBe('Bearer');
      expect((await make(await bearer(auditor), '{}')).status).toBe(400);
      const refused = await make(await bearer(auditor));
      expect([refused.status, errorOf(refused)]).toEqual([403, 'the role auditor may not do this: it needs member']);
    });

    it('applies a revocation that is in force before its record has arrived', async () => {
      const sid = randomUUID();
      await publish(sid, 1);
      expect((await make(await bearer(sid))).status).toBe(201);
      versions.set(`session/${sid}`, 2);
      const answer = make(await bearer(sid));
      await publish(sid, 2, { revokedAt: new Date().toISOString() });
      expect((await answer).status).toBe(401);
    });

    it('answers 503 while that record does not arrive', async () => {
      const sid = randomUUID();
      await publish(sid, 1);
      versions.set(`session/${sid}`, 9);
      expect((await make(await bearer(sid))).status).toBe(503);
    });

    it.each([
      ['has expired', { expiresAt: new Date(Date.now() - 1).toISOString() }],
      ['was revoked', { revokedAt: new Date().toISOString() }],
      ['belongs to another account', { accountId: randomUUID() }],
    ])('is none when it %s', async (_case, facts) => {
      const sid = randomUUID();
      await publish(sid, 1, facts);
      versions.set(`session/${sid}`, 1);
      expect((await make(await bearer(sid))).status).toBe(401);
    });

    it('refuses foreign tokens', async () => {
      const { authorization = '' } = await bearer(randomUUID());
      const [head = '', claims = ''] = authorization.slice('Bearer '.length).split('.');
      const none = Buffer.from('{"alg":"none"}').toString('base64url');
      for (const token of [`${none}.${claims}.`, `${head}.${claims}.AAAA`, 'a.b.c', mintApiKey(randomBytes)]) {
        expect((await make({ authorization: `Bearer ${token}` })).status).toBe(401);
      }
    });
  });

  describe('with an API key', () => {
    const publish = (
      id: string,
      key: string,
      version: number,
      revokedAt: string | null = null,
      more: Partial<ApiKeyFacts> = {},
    ): Promise<unknown> =>
      bench.eventLog.append([
        versionedRecord<ApiKeyFacts>('api-keys', id, version, {
          accountId: 'account',
          name: 'k',
          prefix: key.slice(0, 16),
          sha256: createHash('sha256').update(key).digest('hex'),
          createdAt: new Date().toISOString(),
          revokedAt,
          ...more,
        }),
      ]);
    const check = (headers: Record<string, string>): Promise<Answer> =>
      send('POST', '/v1/check-thing', headers, '{"name":"a"}');

    it('accepts a key, also one that was just created', async () => {
      const [id, key] = [randomUUID(), mintApiKey(randomBytes)];
      await publish(id, key, 1);
      versions.set(`api-key/${id}`, 1);
      versions.set(`api-key/${createHash('sha256').update(key).digest('hex')}`, 1);
      const answer = await check({ 'x-service-key': key });
      const { powers, ...caller } = JSON.parse(answer.text) as Record<string, unknown>;
      expect([answer.status, caller]).toEqual([200, { accountId: 'account', apiKeyId: id }]);
      expect(powers).toMatchObject({ rights: 0b111, agents: null, first: false });
      expect((await check({ authorization: `Bearer ${key}` })).status).toBe(200);
      expect((await check({ 'x-service-key': 'wrong', authorization: `Bearer ${key}` })).status).toBe(401);
    });

    it('refuses unknown and revoked keys, and says which it is', async () => {
      const [id, key] = [randomUUID(), mintApiKey(randomBytes)];
      const refused = async (headers: Record<string, string>): Promise<unknown[]> => {
        const answer = await check(headers);
        return [answer.status, errorOf(answer)];
      };
      expect(await refused({ 'x-service-key': key })).toEqual([401, expect.stringMatching('no such API key')]);
      await publish(id, key, 2, new Date().toISOString());
      versions.set(`api-key/${id}`, 2);
      versions.set(`api-key/${createHash('sha256').update(key).digest('hex')}`, 2);
      expect(await refused({ 'x-service-key': key })).toEqual([401, expect.stringMatching('was revoked at')]);
      expect(await refused({ 'x-service-key': `${key.slice(0, -1)}!` })).toEqual([401, expect.stringMatching('typo')]);
      expect(await refused({ authorization: key })).toEqual([401, expect.stringMatching('without "Bearer"')]);
      expect(await refused({})).toEqual([401, expect.stringMatching('no API key was sent')]);
    });

    it('refuses a key that has ended, lacks the right, or is for other agents', async () => {
      const agentId = randomUUID();
      const ask = async (more: Partial<ApiKeyFacts>, body: object): Promise<unknown[]> => {
        const [id, key] = [randomUUID(), mintApiKey(randomBytes)];
        await publish(id, key, 1, null, more);
        versions.set(`api-key/${id}`, 1);
        versions.set(`api-key/${createHash('sha256').update(key).digest('hex')}`, 1);
        const answer = await send('POST', '/v1/check-thing', { 'x-service-key': key }, JSON.stringify(body));
        return [answer.status, errorOf(answer)];
      };
      const body = { name: 'a', agentId: agentId.toUpperCase() };
      expect(await ask({ rights: ['check'], agentIds: [agentId] }, body)).toEqual([200, undefined]);
      expect(await ask({ rights: ['check'] }, body)).toEqual([200, undefined]);
      const past = new Date(Date.now() - 1).toISOString();
      expect(await ask({ expiresAt: past }, body)).toEqual([401, expect.stringMatching(`expired at ${past}`)]);
      expect(await ask({ rights: ['scan', 'policy'] }, {})).toEqual([401, expect.stringMatching('the right "check"')]);
      expect(await ask({ agentIds: [randomUUID()] }, body)).toEqual([404, expect.stringMatching('not for that agent')]);
    });
  });
});
