import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { isWellFormedApiKey } from '@countersign/process';
import { accountStream } from '@countersign/contracts';
import type { ApiKeyFacts, EventEnvelope, VersionedRecord } from '@countersign/contracts';
import { FIRST, runIdentity } from './service.test-context.js';
import type { Running } from './service.test-context.js';

const CREDENTIALS = { email: FIRST.email, password: FIRST.password };

describe('identity over HTTP', () => {
  let service: Running;
  let admin: string;
  const login = async (credentials: object = CREDENTIALS): Promise<string> =>
    (await service.ask('POST', '/v1/auth/login', credentials)).body.token as string;

  beforeAll(async () => {
    service = await runIdentity();
    expect(await service.operator.hasAccount()).toBe(false);
    await service.operator.createFirst(FIRST);
    admin = await login();
  });
  afterAll(() => service.cleanup());

  it('opens a session of 12 hours', async () => {
    const { status, body } = await service.ask('POST', '/v1/auth/login', {
      ...CREDENTIALS,
      email: 'ADMIN@countersign.local',
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      token: expect.any(String),
      expiresAt: expect.any(String),
      account: { id: FIRST.accountId, name: 'First account', plan: 'enterprise' },
      user: { id: FIRST.userId, email: FIRST.email, role: 'admin' },
    });
    const hours = (Date.parse(body.expiresAt) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(11.99);
    expect(hours).toBeLessThanOrEqual(12);
  });

  it('gives the same answer to an unknown address and to a wrong password', async () => {
    const wrong = await service.ask('POST', '/v1/auth/login', { ...CREDENTIALS, password: 'not this one' });
    const unknown = await service.ask('POST', '/v1/auth/login', { email: 'no@one.example', password: 'not this one' });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.body).toEqual(unknown.body);
    expect((await service.ask('POST', '/v1/auth/login', { email: 'x' })).status).toBe(400);
  });

  it('ends a session at once', async () => {
    const token = await login();
    expect((await service.ask('GET', '/v1/account', undefined, token)).status).toBe(200);
    expect((await service.ask('POST', '/v1/auth/logout', undefined, token)).status).toBe(204);
    expect((await service.ask('GET', '/v1/account', undefined, token)).status).toBe(401);
  });

  it('registers a sandbox account, and an address only once', async () => {
    const body = { email: 'Ann@Hotel.example', password: 'twelve characters', accountName: 'Hotel' };
    const registered = await service.ask('POST', '/v1/auth/register', body);
    expect(registered.status).toBe(201);
    expect(registered.body).toMatchObject({
      account: { name: 'Hotel', plan: 'sandbox' },
      user: { email: 'ann@hotel.example', role: 'admin' },
    });
    const account = await service.ask('GET', '/v1/account', undefined, registered.body.token as string);
    expect(account.body).toMatchObject({ plan: 'sandbox', actionCap: 1000, sandbox: { actionsUsed: 0 } });
    expect((await service.ask('POST', '/v1/auth/register', body)).status).toBe(409);
    expect((await service.ask('POST', '/v1/auth/register', { ...body, password: 'short' })).status).toBe(400);
    expect((await service.ask('POST', '/v1/auth/register', { ...body, email: 'no-address' })).status).toBe(400);
  });

  it('manages users; roles apply to open sessions at once, and the last admin cannot be removed', async () => {
    const bob = { email: 'bob@countersign.local', role: 'member', password: 'twelve characters' };
    const created = await service.ask('POST', '/v1/users', bob, admin);
    expect([created.status, created.body]).toEqual([
      201,
      { id: expect.any(String), email: bob.email, role: 'member', createdAt: expect.any(String) },
    ]);
    const path = `/v1/users/${created.body.id}`;
    const token = await login({ email: bob.email, password: bob.password });
    expect((await service.ask('GET', '/v1/users', undefined, token)).status).toBe(403);
    expect((await service.ask('PATCH', path, { role: 'admin' }, admin)).body).toMatchObject({ role: 'admin' });
    expect((await service.ask('GET', '/v1/users?limit=1', undefined, token)).body).toEqual({
      users: [{ ...created.body, role: 'admin' }],
      total: 2,
      limit: 1,
      offset: 0,
    });
    const both = await Promise.all([
      service.ask('DELETE', path, undefined, admin),
      service.ask('PATCH', `/v1/users/${FIRST.userId}`, { role: 'auditor' }, token),
    ]);
    expect(both.filter(({ status }) => status < 300)).toHaveLength(1);
    const left = both[0].status === 204 ? admin : token;
    if (left === token) {
      await service.ask('PATCH', `/v1/users/${FIRST.userId}`, { role: 'admin' }, token);
      expect((await service.ask('DELETE', path, undefined, admin)).status).toBe(204);
    }
    expect((await service.ask('GET', '/v1/account', undefined, token)).status).toBe(401);
    expect((await service.ask('DELETE', `/v1/users/${FIRST.userId}`, undefined, admin)).status).toBe(409);
    expect((await service.ask('PATCH', `/v1/users/${FIRST.userId}`, { role: 'member' }, admin)).status).toBe(409);
    expect((await service.ask('PATCH', path, { role: 'member' }, admin)).status).toBe(404);
    expect((await service.ask('POST', '/v1/users', { ...bob, email: FIRST.email }, admin)).status).toBe(409);
  });

  it('hides the users and keys of another account', async () => {
    const body = { email: 'eve@else.example', password: 'twelve characters', accountName: 'Else' };
    const eve = (await service.ask('POST', '/v1/auth/register', body)).body.token as string;
    expect((await service.ask('DELETE', `/v1/users/${FIRST.userId}`, undefined, eve)).status).toBe(404);
    expect((await service.ask('DELETE', `/v1/api-keys/${FIRST.apiKeyId}`, undefined, eve)).status).toBe(404);
    expect((await service.ask('GET', '/v1/api-keys', undefined, eve)).body.apiKeys).toEqual([]);
  });

  it('issues a key that is shown once, stores only its hash, and revokes it', async () => {
    const issued = await service.ask('POST', '/v1/api-keys', { name: 'ci' }, admin);
    expect(issued.status).toBe(201);
    const { id, key, prefix } = issued.body as { id: string; key: string; prefix: string };
    expect(isWellFormedApiKey(key)).toBe(true);
    expect(prefix).toBe(key.slice(0, 16));
    const listed = (await service.ask('GET', '/v1/api-keys', undefined, admin)).body;
    expect(JSON.stringify(listed)).not.toContain(key);
    expect(listed.apiKeys[0]).toEqual({ ...issued.body, key: undefined, lastUsedAt: null, revokedAt: null });
    expect(await service.counters.version('api-key', id)).toBe(1);
    for (const _twice of [1, 2]) {
      expect((await service.ask('DELETE', `/v1/api-keys/${id.toUpperCase()}`, undefined, admin)).status).toBe(204);
    }
    expect(await service.counters.version('api-key', id)).toBe(2);
    const records = (await service.eventLog.read('api-keys', 0, 0, 1000))
      .map(({ value }) => JSON.parse(Buffer.from(value).toString()) as VersionedRecord<ApiKeyFacts>)
      .filter((record) => record.id === id);
    // The topic is compacted: the first version may have been removed.
    expect(records.at(-1)).toMatchObject({ version: 2, value: { revokedAt: expect.any(String) as string } });
    expect(records.at(-1)!.value?.createdBy).toBe(FIRST.userId);
    expect(records.at(-1)!.value?.sha256).toBe(createHash('sha256').update(key).digest('hex'));
    expect(JSON.stringify(records)).not.toContain(key);
  });

  it('issues keys that are bound to agents, have named rights and expire, and marks the first one', async () => {
    const agentId = 'ABCDEF00-0000-4000-8000-000000000001';
    const issue = (body: object) => service.ask('POST', '/v1/api-keys', { name: 'k', ...body }, admin);
    const plain = await issue({});
    expect(plain.body).toMatchObject({
      first: false,
      rights: ['check', 'outcome', 'scan'],
      agentIds: null,
      expiresAt: null,
    });
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const bound = await issue({ agentIds: [agentId], rights: ['policy', 'read'], expiresAt });
    const asKept = { rights: ['read', 'policy'], agentIds: [agentId.toLowerCase()], expiresAt };
    expect([bound.status, bound.body]).toEqual([201, expect.objectContaining({ first: false, ...asKept })]);
    const { apiKeys } = (await service.ask('GET', '/v1/api-keys', undefined, admin)).body as { apiKeys: object[] };
    expect(apiKeys[0]).toMatchObject({ id: bound.body.id, ...asKept });
    expect(apiKeys.at(-1)).toMatchObject({
      id: FIRST.apiKeyId,
      first: true,
      rights: ['check', 'outcome', 'scan', 'register', 'read', 'policy'],
    });
    const record = (await service.eventLog.read('api-keys', 0, 0, 1000)).at(-1)!;
    const { value } = JSON.parse(Buffer.from(record.value).toString()) as VersionedRecord<ApiKeyFacts>;
    expect(value).toMatchObject(asKept);
    for (const [body, message] of [
      [{ expiresAt: '2026-01-01T00:00:00Z' }, /a time to come/],
      [{ expiresAt: '2999-02-31T99:00:00Z' }, /a time to come/],
      [{ expiresAt: '2999-02-31T00:00:00Z' }, /that the calendar has/],
      [{ expiresAt: '2999-02-29T00:00:00Z' }, /that the calendar has/],
      [{ expiresAt: 'tomorrow' }, /expiresAt/],
      [{ rights: ['everything'] }, /rights/],
      [{ rights: [] }, /rights/],
      [{ agentIds: [] }, /agentIds/],
      [{ agentIds: ['mine'] }, /agentIds/],
      [{ first: true }, /first/],
    ] as const) {
      const refused = await issue(body);
      expect([refused.status, refused.body.error]).toEqual([400, expect.stringMatching(message)]);
    }
  });

  it('keeps the default profile of agents created by a key over a change of the plan', async () => {
    const path = '/v1/account/default-profile';
    const put = (body: unknown) => service.ask('PUT', path, body, admin);
    expect((await service.ask('GET', path, undefined, admin)).body).toEqual({ profile: null });
    const profile = { off_limits_actions: ['wire'], spending_limit: 5 };
    expect(await put(profile)).toMatchObject({ status: 200, body: { profile } });
    expect(await put({ off_limits_actions: ['w*re'] })).toMatchObject({ status: 400 });
    expect(await put({ refund_limit: 5 })).toMatchObject({ status: 400 });
    await service.operator.setPlan({ accountId: FIRST.accountId, plan: 'scale' });
    expect((await service.ask('GET', path, undefined, admin)).body).toEqual({ profile });
    const published = (await service.eventLog.read('accounts', 0, 0, 1000)).at(-1)!;
    expect(JSON.parse(Buffer.from(published.value).toString())).toMatchObject({
      value: { plan: 'scale', defaultProfile: profile },
    });
    expect((await put({ blocked_apis: ['/srv/data'] })).body.warnings).toEqual([
      expect.stringMatching(/^blocked_apis\[0\] "\/srv\/data" is a path/),
    ]);
    // Its size limit is that of a profile of an agent.
    const large = { blocked_apis: [...Array(130)].map((_, n) => `${n}`.padStart(500, 'x')).concat('y'.repeat(100)) };
    expect(await put(large)).toMatchObject({ status: 413, body: { error: expect.stringContaining('65536') } });
    expect((await put(null)).body).toEqual({ profile: null });
  });

  it('puts a plan in force', async () => {
    const { accountId } = FIRST;
    expect(await service.operator.setPlan({ accountId, plan: 'core', actionCap: 7 })).toBe('set');
    const { body } = await service.ask('GET', '/v1/account', undefined, admin);
    expect(body).toMatchObject({ plan: 'core', actionCap: 7, sandbox: null, actionsUsed: 0 });
    expect(body.periodEndsAt).toMatch(/^\d{4}-\d{2}-01T00:00:00\.000Z$/);
    expect(await service.counters.version('account', accountId)).toBe(6);
    expect(await service.operator.setPlan({ accountId: 'x', plan: 'core' })).toBe('unknown-account');
    await expect(service.operator.setPlan({ accountId, plan: 'gold' as 'core' })).rejects.toThrow('no such plan');
  });

  it('trusts issuers of tokens for one account, in its record, and keeps them when its plan changes', async () => {
    const path = '/v1/trusted-issuers';
    const issuer = { issuer: 'https://login.example', jwksUri: 'https://login.example/keys', audience: 'a' };
    const made = await service.ask('POST', path, issuer, admin);
    expect([made.status, made.body]).toEqual([
      201,
      {
        ...issuer,
        id: expect.any(String),
        claims: { agent: null, principal: 'sub', session: null },
        agentIds: null,
        required: false,
        createdAt: expect.any(String),
      },
    ]);
    expect((await service.ask('POST', path, issuer, admin)).status).toBe(409);
    const local = { ...issuer, issuer: 'https://local.example', jwksUri: 'http://127.0.0.1/keys' };
    const refused = await service.ask('POST', path, local, admin);
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('jwksUri')]);
    await service.operator.setPlan({ accountId: FIRST.accountId, plan: 'enterprise' });
    expect((await service.ask('GET', path, undefined, admin)).body).toEqual({ trustedIssuers: [made.body] });
    const body = { email: 'iss@else.example', password: 'twelve characters', accountName: 'Else' };
    const eve = (await service.ask('POST', '/v1/auth/register', body)).body.token as string;
    expect((await service.ask('GET', path, undefined, eve)).body).toEqual({ trustedIssuers: [] });
    const one = `${path}/${made.body.id}`;
    expect((await service.ask('DELETE', one, undefined, eve)).status).toBe(404);
    expect((await service.ask('DELETE', one, undefined, admin)).status).toBe(204);
    expect((await service.ask('GET', path, undefined, admin)).body).toEqual({ trustedIssuers: [] });
  });

  it('records in the trail of the account what its people did, and no secret', async () => {
    await service.ask('POST', '/v1/auth/login', { ...CREDENTIALS, password: 'not this one' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const records = await service.eventLog.read('agent-events', 0, 0, 1000);
    const events = records.map(({ value }) => JSON.parse(Buffer.from(value).toString()) as EventEnvelope);
    const own = events.filter(({ accountId }) => accountId === FIRST.accountId);
    for (const { leaf } of own) expect(leaf.agentId).toBe(accountStream(FIRST.accountId));
    const types = new Set(own.map(({ leaf }) => `${leaf.type} by ${leaf.detail?.split(':')[0]}`));
    expect([...types].sort()).toEqual([
      'account.default_profile_changed by user',
      'account.issuers_changed by user',
      'account.key_created by operator',
      'account.key_created by user',
      'account.key_revoked by user',
      'account.plan_changed by operator',
      'account.sign_in by unknown',
      'account.sign_in by user',
      'account.sign_out by user',
      'account.user_changed by user',
      'account.user_created by operator',
      'account.user_created by user',
      'account.user_removed by user',
    ]);
    const contents = own.map(({ openings }) => openings.action?.value);
    expect(contents).toContainEqual({
      ...{ by: { kind: 'unknown' }, method: 'password', count: 1, address: '127.0.0.1' },
      user: { id: FIRST.userId, email: FIRST.email, role: 'admin' },
    });
    const all = JSON.stringify(events);
    for (const secret of [FIRST.password, FIRST.apiKey, admin, 'not this one', 'passwordHash'])
      expect([secret, all.includes(secret)]).toEqual([secret, false]);
  });

  it('keeps everything over a restart, and creates the first account once', async () => {
    const before = (await service.ask('GET', '/v1/api-keys', undefined, admin)).body;
    service = await service.restart();
    await service.operator.createFirst({ ...FIRST, accountName: 'Another name' });
    expect((await service.ask('GET', '/v1/account', undefined, admin)).body).toMatchObject({ name: 'First account' });
    expect((await service.ask('GET', '/v1/api-keys', undefined, admin)).body).toEqual(before);
  });

  it('changes a password, and ends the other sessions of its user', async () => {
    const ann = { email: 'mia@hotel.example', role: 'member', password: 'a password of hers' };
    expect((await service.ask('POST', '/v1/users', ann, admin)).status).toBe(201);
    const signIn = async (password: string) =>
      (await service.ask('POST', '/v1/auth/login', { email: ann.email, password })).body.token as string | undefined;
    const [own, other] = [await signIn(ann.password), await signIn(ann.password)];
    const change = (currentPassword: string, newPassword: string) =>
      service.ask('POST', '/v1/auth/password', { currentPassword, newPassword }, own);
    expect((await change('not this one', 'another password')).status).toBe(403);
    expect((await change(ann.password, 'too short')).status).toBe(400);
    expect(
      (await service.ask('POST', '/v1/auth/password', { currentPassword: 'x', newPassword: 'another password' }))
        .status,
    ).toBe(401);
    expect((await change(ann.password, 'another password')).status).toBe(204);
    expect((await service.ask('GET', '/v1/account', undefined, own)).status).toBe(200);
    expect((await service.ask('GET', '/v1/account', undefined, other)).status).toBe(401);
    expect([await signIn(ann.password), typeof (await signIn('another password'))]).toEqual([undefined, 'string']);
    for (let n = 0; n < 10; n += 1) await change('not this one', 'another password');
    expect((await change('another password', 'a third password')).status).toBe(429);
  });

  it('locks an address out after ten failures, also for the right password, for 15 minutes', async () => {
    const wrong = { ...CREDENTIALS, password: 'not this one' };
    const attempts = await Promise.all(Array.from({ length: 14 }, () => service.ask('POST', '/v1/auth/login', wrong)));
    const statuses = attempts.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(4);
    const right = await service.ask('POST', '/v1/auth/login', CREDENTIALS);
    expect(right.status).toBe(429);
    const seconds = Number(right.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(800);
    expect(seconds).toBeLessThanOrEqual(900);
    service = await service.restart();
    expect((await service.ask('POST', '/v1/auth/login', CREDENTIALS)).status).toBe(429);
    service.advance(15 * 60 * 1000);
    expect((await service.ask('POST', '/v1/auth/login', CREDENTIALS)).status).toBe(200);
  });
});

describe('registration', () => {
  it('is limited to 20 per IP in 15 minutes, successful or not', async () => {
    const service = await runIdentity();
    const register = (n: number) => {
      const body = { email: `ann${n}@hotel.example`, password: 'twelve characters', accountName: 'Hotel' };
      return service.ask('POST', '/v1/auth/register', body);
    };
    const first = await Promise.all([1, 1, 2].map((n) => register(n)));
    expect(first.map(({ status }) => status).sort()).toEqual([201, 201, 409]);
    // The rest concurrently: no more than the limit pass.
    const rest = await Promise.all(Array.from({ length: 25 }, (_, n) => register(1 + (n % 2))));
    expect(rest.filter(({ status }) => status === 409).length).toBeLessThanOrEqual(17);
    const closed = await register(3);
    expect([closed.status, Object.keys(closed.body as object)]).toEqual([429, ['error']]);
    expect(Number(closed.headers.get('retry-after'))).toBeGreaterThan(800);
    service.advance(15 * 60 * 1000);
    expect((await register(3)).status).toBe(201);
    await service.cleanup();
  });
});

describe('registration with a mail server', () => {
  it('gives the same answer whether the address has an account or not, and creates one by the token of the mail', async () => {
    const mails: string[] = [];
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData(stream, _session, callback) {
        let text = '';
        stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
        stream.on('end', () => (mails.push(text.replace(/=\r\n/g, '').replaceAll('=3D', '=')), callback()));
      },
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as AddressInfo;
    const service = await runIdentity({ SMTP_URL: `smtp://127.0.0.1:${port}` });
    const register = (email: string, password = 'twelve characters') =>
      service.ask('POST', '/v1/auth/register', { email, password, accountName: 'Hotel' });
    const confirm = (token: string) => service.ask('POST', '/v1/auth/register/confirm', { token });
    const first = await register('ann@hotel.example');
    expect([first.status, first.body]).toEqual([202, { confirmation: 'sent' }]);
    const token = /"token":"([\w-]+)"/u.exec(mails[0] ?? '')?.[1] ?? '';
    const login = () =>
      service.ask('POST', '/v1/auth/login', { email: 'ann@hotel.example', password: 'twelve characters' });
    expect((await login()).status).toBe(401);
    const changed = `${token.slice(0, -4)}${token.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
    expect([(await confirm(changed)).status, (await confirm('x')).status]).toEqual([400, 400]);
    const made = await confirm(token);
    expect([made.status, made.body.user.email, made.body.account.plan]).toEqual([201, 'ann@hotel.example', 'sandbox']);
    expect([(await confirm(token)).status, (await login()).status]).toEqual([409, 200]);
    const again = await register('ann@hotel.example', 'another password');
    expect([again.status, again.body, mails.length]).toEqual([first.status, first.body, 2]);
    expect(mails[1]).toContain('which has one already');
    expect(mails[1]).not.toContain('token');
    await register('late@hotel.example');
    service.advance(3600 * 1000);
    expect((await confirm(/"token":"([\w-]+)"/u.exec(mails[2] ?? '')?.[1] ?? '')).status).toBe(400);
    await new Promise<void>((resolve) => server.close(resolve));
    expect((await register('down@hotel.example')).status).toBe(503);
    await service.cleanup();
  });
});

describe('identity without open registration', () => {
  it('has no such route', async () => {
    const service = await runIdentity({ COUNTERSIGN_OPEN_REGISTRATION: 'false' });
    const body = { email: 'ann@hotel.example', password: 'twelve characters', accountName: 'Hotel' };
    expect((await service.ask('POST', '/v1/auth/register', body)).status).toBe(404);
    await service.cleanup();
  });
});
