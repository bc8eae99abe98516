import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SINGLE_SIGN_ON_REFUSALS } from '@countersign/contracts';
import { codeAt } from './second-factor.test-context.js';
import { FIRST, runIdentity } from './service.test-context.js';
import type { Answer, Running } from './service.test-context.js';
import type { RefusalCounter } from './single-sign-on/refusal-counter.js';
import { CLIENT, startProvider } from './single-sign-on/provider.test-context.js';
import type { Claims, TestProvider } from './single-sign-on/provider.test-context.js';

const MINUTE_MS = 60_000;
/** The provider signs in users of every account only where strangers have none. */
const EVERY_ACCOUNT = { COUNTERSIGN_OPEN_REGISTRATION: 'false' };

interface Started {
  readonly location: string;
  readonly cookie: string;
}
interface Finished {
  readonly status: number;
  /** After `/console`. */
  readonly place: string;
  /** The session of the cookie; `null`: none was set. */
  readonly session: string | null;
  readonly headers: Headers;
}

describe('single sign-on', () => {
  let provider: TestProvider;
  let folder: string;
  let service: Running;
  let admin: string;

  const ask = (path: string, cookie?: string): Promise<Response> =>
    fetch(service.serving.address + path, {
      redirect: 'manual',
      headers: cookie === undefined ? {} : { cookie },
    });
  const start = async (): Promise<Started> => {
    const { status, headers } = await ask('/v1/auth/oidc/start');
    expect(status).toBe(302);
    return { location: headers.get('location')!, cookie: headers.get('set-cookie')!.split(';')[0]! };
  };
  const finish = async (query: URLSearchParams, cookie?: string): Promise<Finished> => {
    const { status, headers } = await ask(`/v1/auth/oidc/callback?${query.toString()}`, cookie);
    const place = (headers.get('location') ?? '').replace(`${service.serving.address}/console`, '');
    const session = /^csn_session=([^;]+); .*HttpOnly; SameSite=Strict/.exec(headers.get('set-cookie') ?? '')?.[1];
    return { status, place, session: session ?? null, headers };
  };
  const signIn = async (claims: Claims): Promise<Finished> => {
    const { location, cookie } = await start();
    return finish(provider.authorize(location, claims), cookie);
  };
  const sessionOf = (token: string): Promise<Answer> => service.ask('GET', '/v1/session', undefined, token);
  const refusedAs = (reason: string): object => ({ status: 302, place: `#/single-sign-on/${reason}`, session: null });
  const counter = (): RefusalCounter =>
    service.metrics.getSingleMetric('countersign_single_sign_on_refused_total') as RefusalCounter;
  const refused = async (reason: string): Promise<number> =>
    (await counter().get()).values.find(({ labels }) => labels.reason === reason)!.value;
  const person = (sub: string, email = `${sub}@else.example`): Claims => ({ sub, email, email_verified: true });
  const invite = (email: string, role = 'member'): Promise<Answer> =>
    service.ask('POST', '/v1/invitations', { email, role }, admin);
  const run = async (variables: Readonly<Record<string, string>> = {}): Promise<void> => {
    service = await runIdentity({
      COUNTERSIGN_OIDC_ISSUER: provider.issuer,
      COUNTERSIGN_OIDC_CLIENT_ID: CLIENT.id,
      COUNTERSIGN_OIDC_CLIENT_SECRET_FILE: join(folder, 'secret'),
      COUNTERSIGN_OIDC_LABEL: 'Example',
      COUNTERSIGN_WEBHOOK_ALLOWED_HOSTS: provider.host,
      ...variables,
    });
    await service.operator.createFirst(FIRST);
    const { email, password } = FIRST;
    admin = (await service.ask('POST', '/v1/auth/login', { email, password })).body.token;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'oidc-'));
    await writeFile(join(folder, 'secret'), `${CLIENT.secret}\n`);
    provider = await startProvider();
  });
  afterEach(() => {
    for (const name of Object.keys(provider.behaviour)) delete provider.behaviour[name as 'status'];
  });
  afterAll(async () => {
    await provider.close();
    await rm(folder, { recursive: true });
  });

  describe('of users of every account', () => {
    beforeAll(() => run(EVERY_ACCOUNT));
    afterAll(() => service.cleanup());

    it('is offered to sign-in pages', async () => {
      const url = `${service.serving.address}/v1/auth/oidc/start`;
      expect((await service.ask('GET', '/v1/auth/methods')).body).toEqual({ singleSignOn: { label: 'Example', url } });
    });

    it('sends the browser away with a challenge, and signs an invited user in', async () => {
      const { body } = await invite('ben@else.example', 'auditor');
      const { location, cookie } = await start();
      const sent = new URL(location);
      expect(sent.origin + sent.pathname).toBe(`${provider.issuer}/authorize`);
      expect(Object.fromEntries(sent.searchParams)).toEqual({
        client_id: CLIENT.id,
        response_type: 'code',
        redirect_uri: `${service.serving.address}/v1/auth/oidc/callback`,
        scope: 'openid email profile',
        state: expect.stringMatching(/^[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
      });
      const done = await finish(provider.authorize(location, person('ben')), cookie);
      expect(done).toMatchObject({ status: 302, place: '', session: expect.any(String) });
      expect(done.headers.get('cache-control')).toBe('no-store');
      const { user, account } = (await sessionOf(done.session!)).body;
      expect([user, account.id]).toEqual([
        { id: body.user.id, email: 'ben@else.example', role: 'auditor' },
        FIRST.accountId,
      ]);
      const { users } = (await service.ask('GET', '/v1/users', undefined, admin)).body;
      expect(users.find(({ id }: { id: string }) => id === user.id).invited).toBeUndefined();
    });

    it('ends the link of the invitation, and second factor and sessions from before the first sign-in', async () => {
      const token = /[\w-]{64}$/.exec((await invite('cleo@else.example')).body.link)![0];
      const body = { token, newPassword: 'a password of the user' };
      expect((await service.ask('POST', '/v1/auth/password/by-link', body)).status).toBe(204);
      const before = await service.ask('POST', '/v1/auth/login', {
        email: 'cleo@else.example',
        password: body.newPassword,
      });
      const id = before.body.user.id as string;
      const enrolment = { password: body.newPassword };
      const begun = await service.ask('POST', '/v1/second-factor/enrolment', enrolment, before.body.token);
      const factor = { enrolment: begun.body.enrolment, code: codeAt(begun.body.secret, Date.now()) };
      expect((await service.ask('POST', '/v1/second-factor', factor, before.body.token)).status).toBe(201);
      const link = /[\w-]{64}$/.exec(
        (await service.ask('POST', `/v1/users/${id}/password-link`, undefined, admin)).body.link,
      )![0];
      const first = await signIn(person('cleo'));
      const listed = (await service.ask('GET', '/v1/users', undefined, admin)).body.users as { id: string }[];
      expect(listed.find((user) => user.id === id)).not.toHaveProperty('secondFactor');
      expect((await sessionOf(before.body.token)).status).toBe(401);
      const late = { token: link, newPassword: 'another password' };
      expect((await service.ask('POST', '/v1/auth/password/by-link', late)).status).toBe(400);
      await signIn(person('cleo'));
      expect((await sessionOf(first.session!)).status).toBe(200);
    });

    it('ends the password that the admin who added the user knows, also while it opens a session', async () => {
      const known = { email: 'pia@else.example', password: 'known to the admin' };
      const { id } = (await service.ask('POST', '/v1/users', { ...known, role: 'member' }, admin)).body;
      const login = (): Promise<Answer> => service.ask('POST', '/v1/auth/login', known);
      const [early, signedIn, ...late] = await Promise.all([login(), signIn(person('pia')), login(), login()]);
      expect((await sessionOf(signedIn.session!)).body.user.id).toBe(id);
      for (const { status, body } of [early, ...late].filter((answer) => answer.status !== 401)) {
        expect([status, (await sessionOf(body.token)).status]).toEqual([200, 401]);
      }
      expect((await login()).status).toBe(401);
      // A password that the user sets afterwards is kept.
      const { link } = (await service.ask('POST', `/v1/users/${id}/password-link`, undefined, admin)).body;
      const newPassword = 'a password of the user';
      const token = /[\w-]{64}$/.exec(link)![0];
      expect((await service.ask('POST', '/v1/auth/password/by-link', { token, newPassword })).status).toBe(204);
      await signIn(person('pia'));
      expect((await service.ask('POST', '/v1/auth/login', { ...known, password: newPassword })).status).toBe(200);
    });

    it('knows its users by their subject, whatever their e-mail address becomes', async () => {
      await invite('dora@else.example');
      await invite('emil@else.example');
      const first = await signIn(person('dora'));
      const { user } = (await sessionOf(first.session!)).body;
      for (const claims of [person('dora', 'emil@else.example'), { sub: 'dora' }]) {
        expect((await sessionOf((await signIn(claims)).session!)).body.user).toEqual(user);
      }
    });

    it('gives no one the user of another subject by an e-mail address', async () => {
      await invite('finn@else.example');
      await signIn(person('finn'));
      expect(await signIn(person('another', 'finn@else.example'))).toMatchObject(refusedAs('subject'));
      expect((await signIn(person('finn'))).session).not.toBeNull();
    });

    it('refuses an e-mail address that is not verified, and one without a user', async () => {
      for (const isVerified of [false, 'true', undefined]) {
        const claims = { ...person('gus', FIRST.email), email_verified: isVerified };
        expect(await signIn(claims)).toMatchObject(refusedAs('email'));
      }
      expect(await signIn({ sub: 'gus' })).toMatchObject(refusedAs('email'));
      expect(await signIn(person('gus'))).toMatchObject(refusedAs('unknown'));
    });

    it('takes claims of UserInfo that the ID token lacks, and not of another subject', async () => {
      await invite('hana@else.example');
      provider.behaviour.userInfo = person('hana');
      expect((await signIn({ sub: 'hana' })).session).not.toBeNull();
      // The address of the one is not verified by the other.
      provider.behaviour.userInfo = { sub: 'igor', email: 'igor@else.example', email_verified: true };
      expect(await signIn({ sub: 'igor', email: FIRST.email })).toMatchObject(refusedAs('unknown'));
      provider.behaviour.userInfo = { sub: 'igor', email: FIRST.email };
      expect(await signIn({ sub: 'igor', email_verified: true })).toMatchObject(refusedAs('email'));
      provider.behaviour.userInfo = person('hana', FIRST.email);
      expect(await signIn({ sub: 'mallory' })).toMatchObject(refusedAs('token'));
    });

    it.each<[string, string, TestProvider['behaviour']]>([
      ['without a signature', 'token', { signature: 'none' }],
      ['signed by another key', 'token', { signature: 'by another key' }],
      ['of another issuer', 'token', { idToken: { iss: 'https://other.example.com' } }],
      ['for another client', 'token', { idToken: { aud: 'another client' } }],
      ['for several clients, used by another', 'token', { idToken: { aud: [CLIENT.id, 'other'], azp: 'other' } }],
      ['of another sign-in', 'token', { idToken: { nonce: 'of another one' } }],
      ['without a nonce', 'token', { idToken: { nonce: undefined } }],
      ['that has expired', 'token', { idToken: { exp: 1_000_000_000 } }],
      ['without a subject', 'token', { idToken: { sub: undefined } }],
      ['with a subject that is too long', 'token', { idToken: { sub: 'a'.repeat(256) } }],
    ])('refuses an ID token %s', async (_what, reason, behaviour) => {
      Object.assign(provider.behaviour, behaviour);
      expect(await signIn(person('ben'))).toMatchObject(refusedAs(reason));
    });

    it('accepts a return once, from the browser that was sent', async () => {
      const one = await start();
      const two = await start();
      const query = provider.authorize(one.location, person('ben'));
      expect(await finish(query)).toMatchObject(refusedAs('stale'));
      expect(await finish(query, two.cookie)).toMatchObject(refusedAs('stale'));
      expect(await finish(query, `${one.cookie}; ${two.cookie}`)).toMatchObject(refusedAs('stale'));
      expect(
        await finish(
          query,
          one.cookie.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A')),
        ),
      ).toMatchObject(refusedAs('stale'));
      const raced = await Promise.all([finish(query, one.cookie), finish(query, one.cookie)]);
      expect(raced.filter(({ session }) => session !== null)).toHaveLength(1);
      expect(await finish(query, one.cookie)).toMatchObject(refusedAs('stale'));
      // With a new code as well: the state was used.
      expect(await finish(provider.authorize(one.location, person('ben')), one.cookie)).toMatchObject(
        refusedAs('stale'),
      );
    });

    it('accepts no return after ten minutes, and none with the code of another sign-in', async () => {
      const one = await start();
      const two = await start();
      const stolen = provider.authorize(one.location, person('ben'));
      stolen.set('state', new URL(two.location).searchParams.get('state')!);
      expect(await finish(stolen, two.cookie)).toMatchObject(refusedAs('stale'));
      service.advance(10 * MINUTE_MS);
      expect(await finish(provider.authorize(one.location, person('ben')), one.cookie)).toMatchObject(
        refusedAs('stale'),
      );
      service.advance(-10 * MINUTE_MS);
    });

    it('sends no code of another provider to its own', async () => {
      const { location, cookie } = await start();
      const query = provider.authorize(location, person('ben'));
      const before = provider.asked.length;
      query.set('iss', 'https://other.example.com');
      expect(await finish(query, cookie)).toMatchObject(refusedAs('issuer'));
      query.delete('iss');
      expect(await finish(query, cookie)).toMatchObject(refusedAs('token'));
      expect(provider.asked).toHaveLength(before);
    });

    it('says what a provider refuses', async () => {
      for (const [error, reason] of [
        ['access_denied', 'cancelled'],
        ['invalid_scope', 'refused-by-provider'],
      ] as const) {
        const { location, cookie } = await start();
        const query = provider.authorize(location, {});
        query.delete('code');
        query.set('error', error);
        expect(await finish(query, cookie)).toMatchObject(refusedAs(reason));
      }
    });

    it('sends the browser to the console while the provider cannot be asked, and the same return works afterwards', async () => {
      const { location, cookie } = await start();
      const query = provider.authorize(location, person('ben'));
      const before = await refused('unavailable');
      provider.behaviour.status = 500;
      const late = await finish(query, cookie);
      expect(late).toMatchObject(refusedAs('unavailable'));
      expect(late.headers.get('set-cookie')).toBeNull();
      expect(await refused('unavailable')).toBe(before + 1);
      delete provider.behaviour.status;
      expect((await finish(query, cookie)).session).not.toBeNull();
    });

    it('sends the browser to the console when the log takes no session', async () => {
      const { location, cookie } = await start();
      const query = provider.authorize(location, person('ben'));
      const append = jest.spyOn(service.eventLog, 'append').mockRejectedValue(new Error('not now'));
      try {
        expect(await finish(query, cookie)).toMatchObject(refusedAs('unavailable'));
      } finally {
        append.mockRestore();
      }
    });

    it('counts refusals by their reason', async () => {
      const before = await refused('stale');
      expect(await finish(new URLSearchParams({ code: 'a', state: 'b' }))).toMatchObject(refusedAs('stale'));
      expect(await refused('stale')).toBe(before + 1);
      const { values } = await counter().get();
      expect(values.map(({ labels }) => labels.reason)).toEqual(SINGLE_SIGN_ON_REFUSALS);
    });

    it('issues no cookie to another host', async () => {
      const { request } = await import('node:http');
      const status = await new Promise((resolve) => {
        const { hostname, port } = new URL(service.serving.address);
        const headers = { host: 'countersign.example.com' };
        request({ hostname, port, path: '/v1/auth/oidc/start', headers }, ({ statusCode }) =>
          resolve(statusCode),
        ).end();
      });
      expect(status).toBe(400);
    });
  });

  describe('of one account, with roles by a claim', () => {
    const claims = (sub: string, groups: unknown): Claims => ({ ...person(sub), realm: { groups } });
    beforeAll(() =>
      run({
        COUNTERSIGN_OIDC_ACCOUNT: FIRST.accountId,
        COUNTERSIGN_OIDC_ROLE_CLAIM: 'realm.groups',
        COUNTERSIGN_OIDC_ROLES: 'readers=auditor, owners=admin, writers=member',
        COUNTERSIGN_OIDC_CREATE_USERS: 'true',
        COUNTERSIGN_OIDC_REFUSE_PASSWORDS: 'true',
      }),
    );
    afterAll(() => service.cleanup());
    const linkOf = async (email: string): Promise<string> =>
      /[\w-]{64}$/.exec((await service.operator.passwordLink({ email }))!.link)![0];

    it('refuses the passwords of its users, after the right one alone', async () => {
      const { email, password } = FIRST;
      const right = await service.ask('POST', '/v1/auth/login', { email, password });
      expect([right.status, right.body.error]).toEqual([
        403,
        expect.stringMatching(/sign in with Example.*admin user/),
      ]);
      expect((await service.ask('POST', '/v1/auth/login', { email, password: 'a wrong password' })).status).toBe(401);
    });

    it('lets the operator help an admin whose provider is lost, until the next sign-in there', async () => {
      const { email } = FIRST;
      const newPassword = 'a password by the operator';
      const body = { token: await linkOf(email), newPassword };
      expect((await service.ask('POST', '/v1/auth/password/by-link', body)).status).toBe(204);
      const login = (): Promise<Answer> => service.ask('POST', '/v1/auth/login', { email, password: newPassword });
      expect((await login()).status).toBe(200);
      const owner = { ...person('root', email), realm: { groups: ['owners'] } };
      // The first sign-in ends the password, a later one its exception.
      admin = (await signIn(owner)).session!;
      expect((await login()).status).toBe(401);
      const again = { token: await linkOf(email), newPassword };
      expect((await service.ask('POST', '/v1/auth/password/by-link', again)).status).toBe(204);
      expect((await login()).status).toBe(200);
      admin = (await signIn(owner)).session!;
      expect((await login()).status).toBe(403);
    });

    it('adds users at their first sign-in, and applies a role at each one', async () => {
      const added = await signIn(claims('ada', ['readers', 'others']));
      const { user } = (await sessionOf(added.session!)).body;
      expect(user).toMatchObject({ email: 'ada@else.example', role: 'auditor' });
      const raised = await signIn(claims('ada', ['readers', 'writers']));
      expect((await sessionOf(raised.session!)).body.user).toEqual({ ...user, role: 'member' });
      expect((await sessionOf(added.session!)).body.user.role).toBe('member');
    });

    it('ends the sessions of a user who has no role any more', async () => {
      const before = await signIn(claims('bob', 'writers'));
      expect(await signIn(claims('bob', []))).toMatchObject(refusedAs('role'));
      expect((await sessionOf(before.session!)).status).toBe(401);
      expect(await signIn(claims('carl', 'others'))).toMatchObject(refusedAs('role'));
      const { users } = (await service.ask('GET', '/v1/users', undefined, admin)).body;
      expect(users.map(({ email }: { email: string }) => email)).not.toContain('carl@else.example');
    });

    it('keeps the last admin of an account, without a session', async () => {
      const claimsOf = (groups: string): Claims => ({ sub: 'root', realm: { groups } });
      expect(await signIn(claimsOf('readers'))).toMatchObject(refusedAs('last-admin'));
      expect((await sessionOf(admin)).status).toBe(401);
      admin = (await signIn(claimsOf('owners'))).session!;
      expect((await service.ask('GET', '/v1/users', undefined, admin)).status).toBe(200);
    });

    it('sets no password by the link of an admin', async () => {
      const invited = await invite('dan@else.example');
      const token = /[\w-]{64}$/.exec(invited.body.link)![0];
      const body = { token, newPassword: 'a password of the user' };
      expect((await service.ask('POST', '/v1/auth/password/by-link', body)).status).toBe(403);
      const again = await service.ask('POST', `/v1/users/${invited.body.user.id}/password-link`, undefined, admin);
      expect([again.status, again.body.error]).toEqual([409, expect.stringContaining('sign in with Example')]);
    });

    it('signs in no user of another account', async () => {
      const elsewhere = { email: 'eve@else.example', password: 'a password of eve', accountName: 'Another' };
      expect((await service.ask('POST', '/v1/auth/register', elsewhere)).status).toBe(201);
      expect(await signIn(claims('eve', 'owners'))).toMatchObject(refusedAs('account'));
      expect((await service.ask('POST', '/v1/auth/login', elsewhere)).status).toBe(400);
      const { email, password } = elsewhere;
      expect((await service.ask('POST', '/v1/auth/login', { email, password })).status).toBe(200);
    });
  });

  describe('at a provider that', () => {
    afterEach(() => service.cleanup());

    it('describes another issuer is refused before anyone is sent there', async () => {
      provider.behaviour.issuer = 'https://other.example.com';
      await run(EVERY_ACCOUNT);
      const away = await ask('/v1/auth/oidc/start');
      expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5']);
      const error = 'Example cannot be reached at the moment: try again, or sign in with a password';
      expect(await away.json()).toEqual({ error });
      expect(await refused('unavailable')).toBe(1);
    });

    it('cannot be asked is no reason to try a password where those are refused', async () => {
      provider.behaviour.status = 500;
      await run({ ...EVERY_ACCOUNT, COUNTERSIGN_OIDC_REFUSE_PASSWORDS: 'true' });
      const { error } = (await (await ask('/v1/auth/oidc/start')).json()) as { error: string };
      expect(error).toContain('the operator runs `countersign admin user EMAIL`');
      expect(error).not.toContain('sign in with a password');
    });

    it('is at an address that is not public is not asked', async () => {
      const before = provider.asked.length;
      await run({ ...EVERY_ACCOUNT, COUNTERSIGN_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1:1' });
      expect((await ask('/v1/auth/oidc/start')).status).toBe(503);
      expect(provider.asked).toHaveLength(before);
    });

    it('does not know the client is refused', async () => {
      await writeFile(join(folder, 'secret'), 'another secret');
      await run(EVERY_ACCOUNT);
      const { location, cookie } = await start();
      expect(await finish(provider.authorize(location, person('ben')), cookie)).toMatchObject(
        refusedAs('refused-by-provider'),
      );
    });
  });

  it('is not there where no provider is set up', async () => {
    service = await runIdentity();
    try {
      expect((await service.ask('GET', '/v1/auth/methods')).body).toEqual({ singleSignOn: null });
      for (const path of ['start', 'callback']) {
        const { status, body } = await service.ask('GET', `/v1/auth/oidc/${path}`);
        expect([status, body.error]).toEqual([404, expect.stringContaining('sign in with a password')]);
      }
    } finally {
      await service.cleanup();
    }
  });
});
