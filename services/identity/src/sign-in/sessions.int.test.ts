import { FIRST, runIdentity } from '../service.test-context.js';
import type { Answer, Running } from '../service.test-context.js';

const CREDENTIALS = { email: FIRST.email, password: FIRST.password };
const HOUR_MS = 3_600_000;

describe('a session', () => {
  let service: Running;
  const logIn = (body: object = CREDENTIALS): Promise<Answer> => service.ask('POST', '/v1/auth/login', body);
  const account = async (token: string): Promise<number> =>
    (await service.ask('GET', '/v1/account', undefined, token)).status;

  beforeEach(async () => {
    service = await runIdentity();
    await service.operator.createFirst(FIRST);
  });
  afterEach(() => service.cleanup());

  it('lasts exactly twelve hours, whatever its use', async () => {
    const { token } = (await logIn()).body as { token: string };
    service.advance(12 * HOUR_MS - 60_000);
    expect(await account(token)).toBe(200);
    service.advance(60_000);
    expect(await account(token)).toBe(401);
    const again = (await logIn()).body as { token: string };
    expect(await account(again.token)).toBe(200);
    expect(await account(token)).toBe(401);
  });

  it('ends alone: others of the same user continue', async () => {
    const [one, other] = await Promise.all([logIn(), logIn()]);
    expect((await service.ask('POST', '/v1/auth/logout', undefined, one.body.token as string)).status).toBe(204);
    expect(await account(one.body.token as string)).toBe(401);
    expect(await account(other.body.token as string)).toBe(200);
    expect((await service.ask('POST', '/v1/auth/logout', undefined, one.body.token as string)).status).toBe(401);
  });

  it('is refused to an unknown address as to a known one: same message, same lock-out', async () => {
    const answersByEmail: Record<string, unknown[]> = {};
    for (const email of [FIRST.email, 'unknown@countersign.local']) {
      const answers = [];
      for (let n = 0; n < 11; n += 1) answers.push(await logIn({ email, password: 'not this one' }));
      answersByEmail[email] = answers.map(({ status, body, headers }) => [status, body, headers.has('retry-after')]);
    }
    const [known, unknown] = Object.values(answersByEmail);
    expect(known).toEqual(unknown);
    expect(known?.map((answer) => (answer as unknown[])[0])).toEqual([...Array<number>(10).fill(401), 429]);
    // The lock applies to the address: another address can still sign in.
    const body = { email: 'ann@hotel.example', password: 'twelve characters', accountName: 'Hotel' };
    expect((await service.ask('POST', '/v1/auth/register', body)).status).toBe(201);
    expect((await logIn(body)).status).toBe(400);
    expect((await logIn({ email: body.email, password: body.password })).status).toBe(200);
  });
});
