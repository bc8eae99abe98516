import { mkdtempSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countersign, type Ran } from '../instance/command.js';
import type { Instance } from '../instance/instance.js';
import { onEachProfile } from '../instance/profiles.js';

onEachProfile('a plan that an operator sets', (start, profile) => {
  let instance: Instance;
  beforeAll(async () => {
    instance = await start();
  }, 90_000);
  afterAll(() => instance.discard());

  const setPlan = (...args: readonly string[]): Promise<Ran> => instance.command('admin', 'set-plan', ...args);
  const account = async () =>
    (await instance.request('GET', '/v1/account', { headers: await instance.session() })).json;

  it('is in force when the command has ended: a paid cap returns 429, a sandbox 402 at its cap and after its end', async () => {
    const { accountId } = instance.bootstrap;
    expect((await instance.check({ type: 'a' })).status).toBe(200);

    expect(await setPlan(accountId, 'core', '--action-cap', '2')).toMatchObject({ code: 0, stderr: '' });
    expect((await instance.check({ type: 'a' })).status).toBe(200);
    const paid = await instance.check({ type: 'a' });
    expect([paid.status, Object.keys(paid.headers).includes('x-event-id')]).toEqual([429, true]);
    expect(paid.json).toEqual({
      allowed: false,
      reason: expect.any(String),
      severity: 'P3',
      code: 'plan_action_cap',
      upgrade_url: expect.stringMatching(/^https:/),
    });
    expect(await account()).toMatchObject({ plan: 'core', sandbox: null, actionCap: 2, actionsUsed: 2 });

    expect((await setPlan(accountId, 'sandbox', '--action-cap', '2')).code).toBe(0);
    const capped = await instance.check({ type: 'a' });
    expect([capped.status, (capped.json as { code: string }).code]).toEqual([402, 'sandbox_action_cap']);

    expect((await setPlan(accountId.toUpperCase(), 'sandbox', '--expires-at', '2020-01-01T00:00:00Z')).code).toBe(0);
    const expired = await instance.check({ type: 'a' });
    expect([expired.status, expired.json]).toEqual([
      402,
      expect.objectContaining({ allowed: false, severity: 'P3', code: 'sandbox_expired' }),
    ]);
  }, 60_000);

  it('ends with 1 for an unknown account or plan, with 64 for invalid usage, and changes nothing', async () => {
    const { accountId } = instance.bootstrap;
    const before = await account();
    for (const [args, message] of [
      [[accountId, 'gold'], 'no such plan; there are sandbox, core, scale, enterprise'],
      [['00000000-0000-4000-8000-000000000000', 'core'], 'there is no account'],
      [[accountId, 'core', '--expires-at', '2030-01-01T00:00:00Z'], 'only a sandbox expires'],
    ] as const) {
      const { code, stdout, stderr } = await setPlan(...args);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(message);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
    expect((await setPlan(accountId, 'core', '--action-cap', '1.5')).code).toBe(64);
    expect((await setPlan(accountId)).code).toBe(64);
    expect(await account()).toEqual(before);
  }, 60_000);

  it('prints a link by which the only admin sets a new password, through the running instance and on its files', async () => {
    const { email, password } = instance.bootstrap;
    const link = async (): Promise<string> => {
      const { code, stdout, stderr } = await instance.command('admin', 'user', email.toUpperCase());
      expect([code, stderr]).toEqual([0, expect.stringMatching(/^It works once, until .*Z\.\n$/)]);
      return /^http:\/\/[^/]+\/console#\/password\/([\w-]{64})\n$/.exec(stdout)![1]!;
    };
    const set = async (token: string, newPassword = password): Promise<number> =>
      (await instance.request('POST', '/v1/auth/password/by-link', { body: { token, newPassword } })).status;
    const unknown = await instance.command('admin', 'user', 'unknown@else.example');
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('has the address unknown@else.example'),
    ]);
    const [replaced, newest] = [await link(), await link()];
    expect([await set(replaced), await set(newest), await set(newest)]).toEqual([400, 204, 400]);
    if (profile !== 'embedded') return;
    await instance.stop();
    const onStopped = await link();
    instance = await instance.startAgain();
    expect(await set(onStopped)).toBe(204);
    expect((await instance.request('POST', '/v1/auth/login', { body: { email, password } })).status).toBe(200);
  }, 90_000);

  it('can be set on a stopped instance with files, and leaves a folder without one unchanged', async () => {
    const { accountId } = instance.bootstrap;
    await instance.stop();
    const onStopped = await setPlan(accountId, 'scale');
    expect((await setPlan(accountId, 'gold')).code).toBe(1);
    instance = await instance.startAgain();
    // If the account is stored on servers, only the service that owns it changes it.
    if (profile === 'embedded') expect(onStopped).toMatchObject({ code: 0, stderr: '' });
    else {
      expect([onStopped.code, onStopped.stderr.trim().split('\n').length]).toEqual([1, 1]);
      expect(await account()).toMatchObject({ plan: 'sandbox' });
      expect(await setPlan(accountId, 'scale')).toMatchObject({ code: 0, stderr: '' });
    }
    expect(await account()).toMatchObject({ plan: 'scale', sandbox: null, actionCap: 1_000_000 });
    expect((await instance.check({ type: 'a' })).status).toBe(200);

    const empty = join(mkdtempSync(join(tmpdir(), 'countersign-e2e-')), 'data');
    const { code } = await countersign(['admin', 'set-plan', accountId, 'core'], { COUNTERSIGN_DATA_DIR: empty });
    expect([code, existsSync(empty)]).toEqual([1, false]);
  }, 90_000);
});
