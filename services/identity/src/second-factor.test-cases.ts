import { addFactorUser, addUser, codeAt, logIn, nextStep, PASSWORD } from './second-factor.test-context.js';
import { FIRST } from './service.test-context.js';
import type { Answer, Running } from './service.test-context.js';

const NEXT = 'the next password of all';

/** Second factors at a running service. @param get the service, and a session of its first admin */
export function secondFactorCases(get: () => { readonly service: Running; readonly admin: string }): void {
  const clock = { ms: 0 };
  const ask = (method: string, path: string, body?: unknown, token?: string): Promise<Answer> =>
    get().service.ask(method, path, body, token);
  const enrolled = (email: string) => addFactorUser(get().service, get().admin, email, clock);
  const ticket = async (email: string, password = PASSWORD): Promise<string> => {
    const { status, body } = await logIn(get().service, email, password);
    expect([status, body]).toEqual([
      403,
      {
        error: expect.stringContaining('POST /v1/auth/second-factor with this token'),
        secondFactor: { token: expect.any(String), expiresAt: expect.any(String), step: 'code' },
      },
    ]);
    return body.secondFactor.token as string;
  };
  const finish = (token: string, code: string, enrolment?: string): Promise<Answer> =>
    ask('POST', '/v1/auth/second-factor', { token, code, ...(enrolment === undefined ? {} : { enrolment }) });
  const statusOf = async (token: string): Promise<number> => (await ask('GET', '/v1/account', undefined, token)).status;

  it('are enrolled by the password and one code, which ends the other sessions', async () => {
    const { service, admin } = get();
    await addUser(service, admin, 'one@factor.example');
    const [session, other] = await Promise.all(
      [1, 2].map(async () => (await logIn(service, 'one@factor.example')).body.token as string),
    );
    const none = { enrolledAt: null, recoveryCodesLeft: 0, required: false };
    expect((await ask('GET', '/v1/second-factor', undefined, session)).body).toEqual(none);
    const begin = (password: string) => ask('POST', '/v1/second-factor/enrolment', { password }, session);
    expect((await begin('not this one')).status).toBe(403);
    const { status, body } = await begin(PASSWORD);
    expect([status, body.uri]).toEqual([200, expect.stringContaining(`secret=${body.secret}`)]);
    const { secret, enrolment } = body as { secret: string; enrolment: string };
    const enrol = (code: string, token = session) => ask('POST', '/v1/second-factor', { enrolment, code }, token);
    const now = nextStep(service, clock);
    expect((await enrol(codeAt(secret, now - 90_000))).status).toBe(403);
    expect((await logIn(service, 'one@factor.example')).status).toBe(200);
    expect((await enrol(codeAt(secret, now), admin)).status).toBe(403);
    const done = await Promise.all([1, 2].map(() => enrol(codeAt(secret, now))));
    expect(done.map(({ status: one }) => one).sort()).toEqual([201, 409]);
    const { recoveryCodes } = done.find(({ status: one }) => one === 201)!.body;
    expect(new Set(recoveryCodes).size).toBe(10);
    for (const one of recoveryCodes) expect(one).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    expect([await statusOf(session!), await statusOf(other!)]).toEqual([200, 401]);
    expect((await begin(PASSWORD)).status).toBe(409);
    // The code of the enrolment is used.
    expect((await finish(await ticket('one@factor.example'), codeAt(secret, now))).status).toBe(401);
    const listed = (await ask('GET', '/v1/users', undefined, admin)).body.users;
    expect(listed[0]).toMatchObject({ email: 'one@factor.example', secondFactor: true });
    expect(JSON.stringify(listed)).not.toContain(secret);
  });

  it('are asked for after the right password alone, and one code opens one session', async () => {
    const user = await enrolled('two@factor.example');
    const wrong = await logIn(get().service, user.email, 'not this one');
    const unknown = await logIn(get().service, 'no@factor.example', 'not this one');
    expect([wrong.status, wrong.body]).toEqual([401, unknown.body]);
    const tokens = await Promise.all([1, 2, 3].map(() => ticket(user.email)));
    const code = user.code();
    const raced = await Promise.all(tokens.map((token) => finish(token, code)));
    expect(raced.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const opened = raced.find(({ status }) => status === 200)!.body;
    expect(opened).toEqual({
      token: expect.any(String),
      expiresAt: expect.any(String),
      account: { id: FIRST.accountId, name: FIRST.accountName, plan: 'enterprise' },
      user: { id: user.id, email: user.email, role: 'member' },
    });
    expect(await statusOf(opened.token)).toBe(200);
    // Each token opens one session, too.
    const used = tokens[raced.findIndex(({ status }) => status === 200)]!;
    const next = user.code();
    expect((await finish(used, next)).status).toBe(401);
    const token = await ticket(user.email);
    const both = await Promise.all([finish(token, next), finish(token, user.recoveryCodes[9]!)]);
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('have recovery codes, each for one session', async () => {
    const user = await enrolled('three@factor.example');
    const [first = '', second = ''] = user.recoveryCodes;
    const tokens = await Promise.all([1, 2].map(() => ticket(user.email)));
    const raced = await Promise.all(tokens.map((token) => finish(token, first.toUpperCase().replaceAll('-', ' '))));
    expect(raced.map(({ status }) => status).sort()).toEqual([200, 401]);
    const state = await ask('GET', '/v1/second-factor', undefined, user.session);
    expect(state.body).toMatchObject({ recoveryCodesLeft: 9 });
    const renew = (code: string) => ask('POST', '/v1/second-factor/recovery-codes', { code }, user.session);
    expect((await renew('000000')).status).toBe(403);
    const renewed = await renew(user.code());
    expect([renewed.status, renewed.body.recoveryCodes.length]).toEqual([201, 10]);
    expect((await finish(await ticket(user.email), second)).status).toBe(401);
    expect((await finish(await ticket(user.email), renewed.body.recoveryCodes[0])).status).toBe(200);
  });

  it('are removed by a fresh code', async () => {
    const user = await enrolled('four@factor.example');
    const remove = (code: string) => ask('POST', '/v1/second-factor/removal', { code }, user.session);
    const used = user.code();
    expect((await finish(await ticket(user.email), used)).status).toBe(200);
    expect((await remove(used)).status).toBe(403);
    expect((await remove(user.code())).status).toBe(204);
    expect((await remove(user.code())).status).toBe(409);
    expect((await logIn(get().service, user.email)).status).toBe(200);
  });

  it('lock their user out after five wrong codes, right ones included, until the time passes', async () => {
    const user = await enrolled('five@factor.example');
    const token = await ticket(user.email);
    const guess = (_: unknown, n: number): Promise<Answer> => finish(token, String(100_000 + n));
    const guesses = await Promise.all(Array.from({ length: 20 }, guess));
    // Concurrent guesses refuse each other: some of the five may be left.
    for (let n = 0; n < 6; n += 1) guesses.push(await guess(null, n));
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(5);
    const locked = await finish(token, user.code());
    expect(locked.status).toBe(429);
    expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(600);
    const removal = await ask('POST', '/v1/second-factor/removal', { code: user.code() }, user.session);
    expect(removal.status).toBe(429);
    get().service.advance(16 * 60_000);
    clock.ms += 16 * 60_000;
    expect((await finish(token, user.code())).status).toBe(401);
    expect((await finish(await ticket(user.email), user.code())).status).toBe(200);
  });

  it('are not replaced by the token of the second step, by a link or by a new password', async () => {
    const { admin } = get();
    const user = await enrolled('six@factor.example');
    const token = await ticket(user.email);
    expect(await statusOf(token)).toBe(401);
    expect((await ask('POST', '/v1/auth/second-factor/enrolment', { token })).status).toBe(401);
    expect((await finish(user.session, user.code())).status).toBe(401);
    const begun = await ask('POST', '/v1/second-factor/enrolment', { password: FIRST.password }, admin);
    expect((await finish(begun.body.enrolment, user.code())).status).toBe(401);
    expect((await finish(token, user.code(), begun.body.enrolment)).status).toBe(401);
    const made = await ask('POST', `/v1/users/${user.id}/password-link`, undefined, admin);
    const link = made.body.link.split('/').at(-1);
    const set = await ask('POST', '/v1/auth/password/by-link', { token: link, newPassword: NEXT });
    expect(set.status).toBe(204);
    // The password that it stands for has changed.
    expect((await finish(token, user.code())).status).toBe(401);
    expect((await finish(await ticket(user.email, NEXT), user.code())).status).toBe(200);
  });

  it('are reset by an admin, which ends the sessions, or by the link of the operator', async () => {
    const { service, admin } = get();
    const user = await enrolled('seven@factor.example');
    const path = `/v1/users/${user.id}/second-factor`;
    expect((await ask('DELETE', path, undefined, user.session)).status).toBe(403);
    const own = `/v1/users/${FIRST.userId}/second-factor`;
    expect((await ask('DELETE', own, undefined, admin)).status).toBe(409);
    const token = await ticket(user.email);
    expect((await ask('DELETE', path, undefined, admin)).status).toBe(204);
    expect(await statusOf(user.session)).toBe(401);
    expect((await finish(token, user.code())).status).toBe(401);
    expect((await logIn(service, user.email)).status).toBe(200);

    const lost = await enrolled('eight@factor.example');
    const made = (await service.operator.passwordLink({ email: lost.email, resetsSecondFactor: true }))!;
    await ticket(lost.email);
    const link = made.link.split('/').at(-1);
    await ask('POST', '/v1/auth/password/by-link', { token: link, newPassword: NEXT });
    expect((await logIn(service, lost.email, NEXT)).status).toBe(200);
  });

  it('are required of all users of an account, who enrol at the next sign-in', async () => {
    const { service, admin } = get();
    await addUser(service, admin, 'nine@factor.example');
    const require = (required: boolean) => ask('PUT', '/v1/second-factor/requirement', { required }, admin);
    expect((await require(true)).body).toEqual({ required: true });
    // A change of the plan keeps it.
    await service.operator.setPlan({ accountId: FIRST.accountId, plan: 'enterprise' });
    const state = await ask('GET', '/v1/second-factor', undefined, admin);
    expect(state.body).toEqual({ enrolledAt: null, recoveryCodesLeft: 0, required: true });
    const { status, body } = await logIn(service, 'nine@factor.example');
    expect([status, body.secondFactor.step]).toEqual([403, 'enrolment']);
    const { token } = body.secondFactor;
    const begun = await ask('POST', '/v1/auth/second-factor/enrolment', { token });
    const { secret, enrolment } = begun.body as { secret: string; enrolment: string };
    const code = codeAt(secret, nextStep(service, clock));
    expect((await finish(token, code)).status).toBe(401);
    expect((await finish(token, '000000', enrolment)).status).toBe(401);
    const raced = await Promise.all([1, 2].map(() => finish(token, code, enrolment)));
    expect(raced.map((one) => one.status).sort()).toEqual([200, 401]);
    const done = raced.find((one) => one.status === 200)!.body;
    expect([done.recoveryCodes.length, await statusOf(done.token)]).toEqual([10, 200]);
    await ticket('nine@factor.example');
    expect((await require(false)).body).toEqual({ required: false });
  });
}
