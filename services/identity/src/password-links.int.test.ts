import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { EventEnvelope } from '@countersign/contracts';
import { secondFactorCases } from './second-factor.test-cases.js';
import { addFactorUser, logIn } from './second-factor.test-context.js';
import { FIRST, runIdentity } from './service.test-context.js';
import type { Answer, Running } from './service.test-context.js';

const NEXT = 'the next password of all';
const DAY_MS = 24 * 3600 * 1000;

const tokenOf = (link: string): string => /\/console#\/password\/([\w-]{64})$/.exec(link)![1]!;

describe('links that set a password, without a mail server', () => {
  let service: Running;
  let admin: string;
  const login = (email: string, password: string): Promise<Answer> =>
    service.ask('POST', '/v1/auth/login', { email, password });
  const invite = (email: string, role = 'member', by = admin): Promise<Answer> =>
    service.ask('POST', '/v1/invitations', { email, role }, by);
  const set = (token: string, newPassword = NEXT): Promise<Answer> =>
    service.ask('POST', '/v1/auth/password/by-link', { token, newPassword });
  const linkFor = (id: string, by = admin): Promise<Answer> =>
    service.ask('POST', `/v1/users/${id}/password-link`, undefined, by);

  beforeAll(async () => {
    service = await runIdentity();
    await service.operator.createFirst(FIRST);
    admin = (await login(FIRST.email, FIRST.password)).body.token;
  });
  afterAll(() => service.cleanup());

  it('let an invited user choose the first password, once', async () => {
    const invited = await invite('Ben@else.example');
    expect([invited.status, invited.body]).toEqual([
      201,
      {
        user: {
          id: expect.any(String),
          email: 'ben@else.example',
          role: 'member',
          createdAt: expect.any(String),
          invited: true,
        },
        link: expect.stringContaining(service.serving.address),
        sentTo: null,
        expiresAt: expect.any(String),
      },
    ]);
    const token = tokenOf(invited.body.link);
    const raced = await Promise.all([set(token, 'one password of two'), set(token, 'two passwords of two')]);
    expect(raced.map(({ status }) => status).sort()).toEqual([204, 400]);
    const chosen = raced[0].status === 204 ? 'one password of two' : 'two passwords of two';
    expect((await login('ben@else.example', chosen)).status).toBe(200);
    expect((await set(token)).body.error).toContain('ask an admin of your account');
    const { users } = (await service.ask('GET', '/v1/users', undefined, admin)).body;
    expect(users[0]).toEqual({ ...invited.body.user, invited: undefined });
    expect((await invite('ben@else.example')).status).toBe(409);
  });

  it('replace each other, and end with their time, the user and a change of the password', async () => {
    const first = await invite('ada@else.example');
    const { id } = first.body.user;
    const second = await invite('ada@else.example');
    expect([second.status, second.body.user]).toEqual([201, first.body.user]);
    expect((await invite('ada@else.example', 'admin')).status).toBe(409);
    expect((await set(tokenOf(first.body.link))).status).toBe(400);
    expect((await set(tokenOf(second.body.link))).status).toBe(204);
    const forReset = await linkFor(id);
    const token = (await login('ada@else.example', NEXT)).body.token as string;
    const change = { currentPassword: NEXT, newPassword: 'a password after that one' };
    expect((await service.ask('POST', '/v1/auth/password', change, token)).status).toBe(204);
    expect((await set(tokenOf(forReset.body.link))).status).toBe(400);
    const late = tokenOf((await linkFor(id)).body.link);
    service.advance(DAY_MS);
    expect((await set(late)).status).toBe(400);
    service.advance(-DAY_MS);
    const of = tokenOf((await linkFor(id)).body.link);
    expect((await service.ask('DELETE', `/v1/users/${id}`, undefined, admin)).status).toBe(204);
    expect((await set(of)).status).toBe(400);
  });

  it('end all sessions of the user, and leave those alone of a link that is not used', async () => {
    const { id } = (
      await service.ask(
        'POST',
        '/v1/users',
        { email: 'cyd@else.example', role: 'auditor', password: 'a first password' },
        admin,
      )
    ).body;
    const token = (await login('cyd@else.example', 'a first password')).body.token as string;
    const link = tokenOf((await linkFor(id)).body.link);
    const forged = `${link.slice(0, -4)}${link.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
    expect([(await set(forged)).status, (await set(link, 'short')).status]).toEqual([400, 400]);
    const account = (): Promise<Answer> => service.ask('GET', '/v1/account', undefined, token);
    expect((await account()).status).toBe(200);
    expect((await set(link)).status).toBe(204);
    expect((await account()).status).toBe(401);
    expect((await login('cyd@else.example', 'a first password')).status).toBe(401);
    expect((await login('cyd@else.example', NEXT)).status).toBe(200);
  });

  it('are made by admins of the account alone, and not for oneself', async () => {
    const eve = { email: 'eve@other.example', password: 'twelve characters', accountName: 'Other' };
    const stranger = (await service.ask('POST', '/v1/auth/register', eve)).body;
    expect((await linkFor(FIRST.userId, stranger.token)).status).toBe(404);
    expect((await invite(FIRST.email, 'member', stranger.token)).status).toBe(409);
    expect((await linkFor(stranger.user.id)).status).toBe(404);
    const own = await linkFor(FIRST.userId);
    expect([own.status, own.body.error]).toEqual([409, expect.stringContaining('POST /v1/auth/password')]);
    const forgotten = await service.ask('POST', '/v1/auth/password/forgotten', { email: FIRST.email });
    expect([forgotten.status, forgotten.body.error]).toEqual([404, expect.stringContaining('ask an admin')]);
  });

  it('leave the account its admin: who was invited is none yet', async () => {
    const invited = await invite('dee@else.example', 'admin');
    const own = `/v1/users/${FIRST.userId}`;
    expect((await service.ask('DELETE', own, undefined, admin)).status).toBe(409);
    const path = `/v1/users/${invited.body.user.id}`;
    expect((await service.ask('DELETE', path, undefined, admin)).status).toBe(204);
  });

  it('leave a trace of failures after a right password, and in a session', async () => {
    const email = 'trace@factor.example';
    const user = await addFactorUser(service, admin, email, { ms: 0 });
    const wrong = { currentPassword: 'not this one', newPassword: NEXT };
    expect((await service.ask('POST', '/v1/auth/password', wrong, user.session)).status).toBe(403);
    const password = { password: 'not this one' };
    expect((await service.ask('POST', '/v1/second-factor/enrolment', password, user.session)).status).toBe(403);
    const code = { code: '000000' };
    expect((await service.ask('POST', '/v1/second-factor/removal', code, user.session)).status).toBe(403);
    // The one that is finished is no failure.
    const finished = (await logIn(service, email)).body.secondFactor.token;
    const second = { token: finished, code: user.recoveryCodes[0] };
    expect((await service.ask('POST', '/v1/auth/second-factor', second)).status).toBe(200);
    expect((await logIn(service, email)).status).toBe(403);
    service = await service.restart();
    const records = await service.eventLog.read('agent-events', 0, 0, 10_000);
    const failed = records
      .map(({ value }) => JSON.parse(Buffer.from(value).toString()) as EventEnvelope)
      .filter(({ leaf }) => leaf.outcome === 'failed')
      .map(({ openings }) => openings.action?.value as { readonly user: { readonly email: string } })
      .filter((content) => content.user.email === email);
    const of = { by: { kind: 'unknown' }, address: '127.0.0.1', count: 1, user: expect.anything() };
    expect(failed).toHaveLength(4);
    for (const [method, reason] of [
      ['password', 'password-change'],
      ['password', 'second-factor-change'],
      ['second_factor', 'second-factor-change'],
      ['password', 'second-step-not-taken'],
    ]) {
      expect(failed).toContainEqual({ ...of, method, reason });
    }
  });

  describe('and second factors', () => secondFactorCases(() => ({ service, admin })));

  it('are limited for each address, and wrong ones for each IP', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 11; n += 1) statuses.push((await invite('fay@else.example')).status);
    expect(statuses).toEqual([...Array<number>(10).fill(201), 429]);
    const wrong: number[] = [];
    for (let n = 0; n < 11; n += 1) wrong.push((await set('A'.repeat(64))).status);
    expect(wrong).toEqual([...Array<number>(10).fill(400), 429]);
  });

  it('are made by the operator for a lost admin', async () => {
    const made = (await service.operator.passwordLink({ email: FIRST.email.toUpperCase() }))!;
    expect(await service.operator.passwordLink({ email: 'unknown@else.example' })).toBeNull();
    expect((await set(tokenOf(made.link))).status).toBe(204);
    expect((await login(FIRST.email, NEXT)).status).toBe(200);
  });
});

describe('links that set a password, with a mail server', () => {
  it('go to the user alone, and the answer for a forgotten password does not tell whether there is one', async () => {
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
    const service = await runIdentity({ SMTP_URL: `smtp://127.0.0.1:${port}`, COUNTERSIGN_OPEN_REGISTRATION: 'false' });
    await service.operator.createFirst(FIRST);
    const { email, password } = FIRST;
    const { token: admin } = (await service.ask('POST', '/v1/auth/login', { email, password })).body;
    const mailedToken = (): string => /\/console#\/password\/([\w-]{64})/.exec(mails.at(-1) ?? '')![1]!;
    const set = (token: string): Promise<Answer> =>
      service.ask('POST', '/v1/auth/password/by-link', { token, newPassword: NEXT });

    const body = { email: 'ben@else.example', role: 'auditor' };
    const invited = await service.ask('POST', '/v1/invitations', body, admin);
    expect([invited.status, invited.body.link, invited.body.sentTo]).toEqual([201, null, body.email]);
    expect(mails[0]).toContain(`${FIRST.email} has invited you`);
    expect((await set(mailedToken())).status).toBe(204);

    const forgotten = (of: string): Promise<Answer> =>
      service.ask('POST', '/v1/auth/password/forgotten', { email: of });
    const [known, unknown] = [await forgotten('BEN@else.example'), await forgotten('unknown@else.example')];
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
    for (let n = 0; n < 200 && mails.length < 2; n += 1) await new Promise((resolve) => setTimeout(resolve, 10));
    expect([mails.length, mails[1]!.includes('To: ben@else.example')]).toEqual([2, true]);
    expect((await set(mailedToken())).status).toBe(204);

    await new Promise<void>((resolve) => server.close(resolve));
    const down = await service.ask('POST', '/v1/invitations', { ...body, email: 'cyd@else.example' }, admin);
    expect([down.status, down.body.error]).toEqual([503, expect.stringContaining('try again')]);
    await service.cleanup();
  });
});

describe('sessions', () => {
  it('are listed and ended by their user, and by admins of the account', async () => {
    const service = await runIdentity();
    await service.operator.createFirst(FIRST);
    const login = async (email: string, password: string): Promise<string> =>
      (await service.ask('POST', '/v1/auth/login', { email, password })).body.token as string;
    const admin = await login(FIRST.email, FIRST.password);
    const ben = { email: 'ben@else.example', role: 'auditor', password: 'a first password' };
    const { id: benId } = (await service.ask('POST', '/v1/users', ben, admin)).body;
    const [old, current] = [await login(ben.email, ben.password), await login(ben.email, ben.password)];
    const eve = { email: 'eve@other.example', password: 'twelve characters', accountName: 'Other' };
    const stranger = (await service.ask('POST', '/v1/auth/register', eve)).body.token as string;
    const list = (token: string, query = ''): Promise<Answer> =>
      service.ask('GET', `/v1/sessions${query}`, undefined, token);
    const end = async (token: string, id: string): Promise<number> =>
      (await service.ask('DELETE', `/v1/sessions/${id}`, undefined, token)).status;

    const own = await list(current);
    expect([own.status, own.body.total]).toEqual([200, 2]);
    const [listed] = own.body.sessions as { id: string; openedAt: string; current: boolean }[];
    expect(Math.abs(Date.parse(listed!.openedAt) - Date.now())).toBeLessThan(60_000);
    const other = (own.body.sessions as { id: string; current: boolean }[]).find((session) => !session.current)!;
    expect((await list(current, `?userId=${FIRST.userId}`)).status).toBe(403);
    expect((await list(admin, `?userId=${benId.toUpperCase()}`)).body.total).toBe(2);
    expect((await list(stranger, `?userId=${benId}`)).status).toBe(404);
    const [adminSession] = (await list(admin)).body.sessions as { id: string }[];
    expect([await end(stranger, other.id), await end(current, adminSession!.id)]).toEqual([404, 404]);
    expect([await end(current, other.id), await end(current, other.id)]).toEqual([204, 404]);
    expect((await list(old)).status).toBe(401);
    const [left] = (await list(admin, `?userId=${benId}`)).body.sessions as { id: string }[];
    expect([await end(admin, left!.id), (await list(current)).status]).toEqual([204, 401]);
    expect((await list(admin, `?userId=${benId}&limit=1`)).body).toEqual({
      sessions: [],
      total: 0,
      limit: 1,
      offset: 0,
    });
    await service.cleanup();
  });
});
