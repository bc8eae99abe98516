import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { addFactorUser, logIn } from './second-factor.test-context.js';
import type { FactorUser } from './second-factor.test-context.js';
import { FIRST, runIdentity } from './service.test-context.js';
import type { Answer, Running } from './service.test-context.js';

describe('when the instance secret is replaced, second factors', () => {
  const clock = { ms: 0 };
  let service: Running;
  let user: FactorUser;
  const file = (name = 'instance-secret'): string => join(service.dataDir, name);

  beforeAll(async () => {
    service = await runIdentity();
    await service.operator.createFirst(FIRST);
    const admin = (await logIn(service, FIRST.email, FIRST.password)).body.token as string;
    user = await addFactorUser(service, admin, 'one@secret.example', clock);
    copyFileSync(file(), file('first'));
  });
  afterAll(() => service.cleanup());

  const restart = async (): Promise<void> => {
    service = await service.restart();
    service.advance(clock.ms);
  };
  const replaceSecret = async (): Promise<void> => {
    renameSync(file(), file('instance-secret.previous'));
    await restart();
  };
  const forgetPrevious = async (): Promise<void> => {
    rmSync(file('instance-secret.previous'));
    await restart();
  };
  const code = (): string => {
    const next = user.code();
    service.advance(30_000);
    return next;
  };
  const signIn = async (given: string): Promise<Answer> => {
    const { token } = (await logIn(service, user.email)).body.secondFactor as { token: string };
    return service.ask('POST', '/v1/auth/second-factor', { token, code: given });
  };
  const expectSignedIn = async (given: string): Promise<void> => {
    expect((await signIn(given)).body).toMatchObject({ token: expect.any(String) });
  };

  it('are in force under the new one, with their recovery codes, and do not need the previous one afterwards', async () => {
    await replaceSecret();
    await expectSignedIn(code());
    await expectSignedIn(user.recoveryCodes[0]!);
    await forgetPrevious();
    await expectSignedIn(code());
    await expectSignedIn(user.recoveryCodes[1]!);
    expect((await signIn(user.recoveryCodes[0]!)).status).toBe(401);
  });

  it('stay so when it is replaced again', async () => {
    await replaceSecret();
    await forgetPrevious();
    await expectSignedIn(code());
    await expectSignedIn(user.recoveryCodes[2]!);
  });

  it('do not open by the secret of before', async () => {
    renameSync(file('first'), file());
    await restart();
    for (const given of [code(), user.recoveryCodes[3]!]) {
      const { status, body } = await signIn(given);
      expect([status, body.error]).toEqual([403, expect.stringContaining('enrolled under another instance secret')]);
    }
  });
});
