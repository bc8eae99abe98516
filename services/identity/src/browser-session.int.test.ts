import { request } from 'node:http';
import { FIRST, runIdentity } from './service.test-context.js';
import type { Running } from './service.test-context.js';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // A test reads members of the answer it expects.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

const PAGE = { 'sec-fetch-site': 'same-origin', 'x-countersign-console': '1' };
const CREDENTIALS = { email: FIRST.email, password: FIRST.password };

describe('sessions of pages', () => {
  let service: Running;
  beforeAll(async () => {
    service = await runIdentity();
    await service.operator.createFirst(FIRST);
  });
  afterAll(() => service.cleanup());

  /** With any headers, also those that `fetch` sets itself. */
  function ask(method: string, path: string, headers: Record<string, string>, body?: object): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = body === undefined ? {} : { 'content-type': 'application/json' };
      const asked = request(
        service.serving.address + path,
        { method, headers: { ...sent, ...headers } },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => (text += part));
          response.on('end', () => {
            const { statusCode: status = 0, headers: found } = response;
            resolve({ status, headers: found, body: text === '' ? null : JSON.parse(text) });
          });
        },
      );
      asked.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  const setCookieOf = ({ headers }: Answer): string => String(headers['set-cookie']);
  async function cookieOf(credentials: object): Promise<string> {
    const answer = await ask('POST', '/v1/session', PAGE, credentials);
    expect(answer.status).toBe(200);
    return setCookieOf(answer).split(';')[0]!;
  }

  it('open with the cookie alone: no answer has the token', async () => {
    const opened = await ask('POST', '/v1/session', PAGE, CREDENTIALS);
    const { expiresAt } = opened.body as { expiresAt: string };
    const shown = {
      expiresAt,
      account: { id: FIRST.accountId, name: FIRST.accountName, plan: 'enterprise' },
      user: { id: FIRST.userId, email: FIRST.email, role: 'admin' },
    };
    expect([opened.status, opened.body]).toEqual([200, shown]);
    const [, cookie, token, seconds] =
      /^((?:csn_session)=([^;]+)); Path=\/; Max-Age=(\d+); HttpOnly; SameSite=Strict$/.exec(setCookieOf(opened))!;
    expect(Math.abs(Number(seconds) - 12 * 3600)).toBeLessThan(60);
    const read = await ask('GET', '/v1/session', { 'sec-fetch-site': 'same-origin', cookie: cookie! });
    expect([read.status, read.body]).toEqual([200, shown]);
    // The token is that of any session.
    expect((await ask('GET', '/v1/session', { authorization: `Bearer ${token!}` })).body).toEqual(shown);
    expect((await ask('GET', '/v1/account', { 'sec-fetch-site': 'same-origin', cookie: cookie! })).status).toBe(200);
  });

  it('end with DELETE, which removes the cookie', async () => {
    const cookie = await cookieOf(CREDENTIALS);
    const other = await cookieOf(CREDENTIALS);
    const closed = await ask('DELETE', '/v1/session', { ...PAGE, cookie });
    expect([closed.status, closed.headers['clear-site-data']]).toEqual([204, '"storage"']);
    expect(setCookieOf(closed)).toBe('csn_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict');
    const after = await ask('GET', '/v1/session', { ...PAGE, cookie });
    expect([after.status, after.body.error]).toEqual([401, expect.stringContaining('sign in again')]);
    expect((await ask('GET', '/v1/session', { ...PAGE, cookie: other })).status).toBe(200);
  });

  it('are refused to pages of other origins, to forms and to other programs', async () => {
    const cookie = await cookieOf(CREDENTIALS);
    for (const headers of [
      {},
      { 'sec-fetch-site': 'same-origin' },
      { 'x-countersign-console': '1' },
      { ...PAGE, 'sec-fetch-site': 'same-site' },
      { ...PAGE, 'sec-fetch-site': 'cross-site' },
      { 'x-countersign-console': '1', origin: 'http://127.0.0.1:1' },
    ] as Record<string, string>[]) {
      const opened = await ask('POST', '/v1/session', headers, CREDENTIALS);
      expect([opened.status, opened.headers['set-cookie']]).toEqual([403, undefined]);
      const keys = await ask('POST', '/v1/api-keys', { ...headers, cookie }, { name: 'theirs' });
      expect([keys.status, Object.keys(keys.body as object)]).toEqual([401, ['error']]);
    }
    for (const site of ['same-site', 'cross-site', 'none']) {
      expect((await ask('GET', '/v1/users', { 'sec-fetch-site': site, cookie })).status).toBe(401);
    }
    const listed = await ask('GET', '/v1/api-keys', { ...PAGE, cookie });
    expect([listed.status, listed.body.total]).toEqual([200, 1]);
    expect((await ask('POST', '/v1/api-keys', { ...PAGE, cookie }, { name: 'mine' })).status).toBe(201);
  });

  it('open only at this machine where no https address is set', async () => {
    for (const host of ['console.example', '10.0.0.7:8080', '127.0.0.1.example']) {
      const { status, body, headers } = await ask('POST', '/v1/session', { ...PAGE, host }, CREDENTIALS);
      expect([status, headers['set-cookie']]).toEqual([400, undefined]);
      expect(body.error).toMatch(/COUNTERSIGN_PUBLIC_URL/);
    }
    const named = await ask('POST', '/v1/session', { ...PAGE, host: 'countersign.localhost:8080' }, CREDENTIALS);
    expect(named.status).toBe(200);
  });

  it('stay within their account, and a bearer token alone decides where it is sent', async () => {
    const other = { email: 'eve@else.example', password: 'twelve characters' };
    const registered = await service.ask('POST', '/v1/auth/register', { ...other, accountName: 'Else' });
    expect(registered.status).toBe(201);
    const [first, second] = [await cookieOf(CREDENTIALS), await cookieOf(other)];
    const nameBy = async (headers: Record<string, string>): Promise<unknown> =>
      (await ask('GET', '/v1/session', { ...PAGE, ...headers })).body.account?.name;
    expect([await nameBy({ cookie: first }), await nameBy({ cookie: second })]).toEqual([FIRST.accountName, 'Else']);
    const authorization = `Bearer ${second.split('=')[1]!}`;
    expect(await nameBy({ cookie: first, authorization })).toBe('Else');
    expect(await nameBy({ cookie: first, authorization: 'Bearer nothing' })).toBeUndefined();
    expect((await ask('GET', '/v1/session', { ...PAGE, cookie: `${first}; ${second}` })).status).toBe(401);
    const { body } = await ask('GET', '/v1/users', { ...PAGE, cookie: second });
    expect(body.users.map(({ email }: { email: string }) => email)).toEqual([other.email]);
    const path = `/v1/users/${FIRST.userId}`;
    expect((await ask('DELETE', path, { ...PAGE, cookie: second })).status).toBe(404);
  });

  it('open by a link of the operator, once', async () => {
    const token = (await service.operator.signInOnce(FIRST.email.toUpperCase()))!;
    const open = (oneTimeToken: unknown, headers = PAGE) => ask('POST', '/v1/session', headers, { oneTimeToken });
    expect((await open(token, { ...PAGE, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    const opened = await open(token);
    expect([opened.status, opened.body.user.email]).toEqual([200, FIRST.email]);
    expect(setCookieOf(opened)).toMatch(/^csn_session=/);
    const again = await open(token);
    expect([again.status, again.headers['set-cookie']]).toEqual([401, undefined]);
    const late = (await service.operator.signInOnce(FIRST.email))!;
    service.advance(15 * 60 * 1000);
    expect((await open(late)).status).toBe(401);
    expect((await open('short')).status).toBe(400);
    expect((await ask('POST', '/v1/session', PAGE, { oneTimeToken: late, ...CREDENTIALS })).status).toBe(400);
    expect(await service.operator.signInOnce('none@else.example')).toBeNull();
  });

  it('count failures as any sign-in does', async () => {
    const wrong = { email: 'mia@hotel.example', password: 'not this one' };
    const statuses: number[] = [];
    for (let n = 0; n < 11; n += 1) statuses.push((await ask('POST', '/v1/session', PAGE, wrong)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
    const login = await service.ask('POST', '/v1/auth/login', wrong);
    expect(login.status).toBe(429);
  });
});

describe('sessions of pages behind an https address', () => {
  it('have a cookie that plain http never carries', async () => {
    const service = await runIdentity({ COUNTERSIGN_PUBLIC_URL: 'https://console.example' });
    await service.operator.createFirst(FIRST);
    const opened = await new Promise<string>((resolve, reject) => {
      const headers = { ...PAGE, host: 'console.example', 'content-type': 'application/json' };
      request(`${service.serving.address}/v1/session`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(String(response.headers['set-cookie']));
      })
        .on('error', reject)
        .end(JSON.stringify(CREDENTIALS));
    });
    expect(opened).toMatch(/^__Host-csn_session=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/);
    await service.cleanup();
  });
});
