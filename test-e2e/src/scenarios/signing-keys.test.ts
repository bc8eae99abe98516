import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Ran } from '../instance/command.js';
import type { Instance } from '../instance/instance.js';
import { onEachProfile } from '../instance/profiles.js';
import { eventually, type Answer } from '../instance/request.js';

interface Key {
  readonly id: string;
  readonly status: string;
  readonly validTo: string | null;
}

const PASSPHRASE = 'correct horse battery staple';
const REASON = 'its backup was lost';

onEachProfile('signing keys that an operator changes', (start, profile) => {
  let instance: Instance;
  let session: { readonly authorization: string };
  beforeAll(async () => {
    instance = await start();
    session = await instance.session();
    for (let i = 0; i < 3; i += 1) expect((await instance.check({ type: 'a' })).status).toBe(200);
  }, 90_000);
  afterAll(() => instance.discard());

  const admin = (...args: readonly string[]): Promise<Ran> => instance.command('admin', 'keys', ...args);
  const changed = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await admin(...args, '--json');
    expect([code, stderr]).toEqual([0, '']);
    return (JSON.parse(stdout) as { keyId: string }).keyId;
  };
  const exported = (): Promise<Answer> =>
    instance.request('POST', '/v1/events/export-signed', {
      headers: session,
      body: {
        agentIds: [instance.bootstrap.agentId],
        format: 'json',
        frameworks: ['soc2'],
        from: new Date(Date.now() - 3_600_000).toISOString(),
        to: new Date(Date.now() + 60_000).toISOString(),
      },
    });
  const signerOf = ({ status, text, json }: Answer): string => {
    expect([status, status === 200 ? '' : text]).toEqual([200, '']);
    return (json as { publicKeyUrl: string }).publicKeyUrl.split('/').at(-1)!;
  };
  const verified = async (report: Answer): Promise<{ ok: boolean; signature: { detail: string } }> => {
    const answer = await instance.request('POST', '/v1/inclusion/verify', { body: { package: report.json } });
    return answer.json as { ok: boolean; signature: { detail: string } };
  };
  const listed = async (): Promise<{ activeKeyId: string; keys: readonly Key[] }> =>
    (await instance.request('GET', '/v1/keys')).json as { activeKeyId: string; keys: readonly Key[] };
  const kids = async (): Promise<readonly string[]> => {
    const { json } = await instance.request('GET', '/.well-known/jwks.json');
    return (json as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  };
  const publishedAs = (id: string, status: string): Promise<unknown> =>
    eventually(`${id} is ${status}`, 30, async () =>
      (await listed()).keys.some((key) => key.id === id && key.status === status) ? true : null,
    );

  it('rotate during exports, and every report verifies', async () => {
    const first = await exported();
    const before = signerOf(first);
    const underWay = Array.from({ length: 3 }, () => exported());
    const next = await changed('rotate');
    const reports = [first, ...(await Promise.all(underWay)), await exported()];
    expect(signerOf(reports.at(-1)!)).toBe(next);
    await publishedAs(next, 'active');
    for (const report of reports) {
      expect([before, next]).toContain(signerOf(report));
      expect(await verified(report)).toMatchObject({ ok: true });
    }
    const { activeKeyId, keys } = await listed();
    expect(activeKeyId).toBe(next);
    expect(keys.find(({ id }) => id === before)).toMatchObject({ status: 'retired', validTo: expect.any(String) });
    expect(await kids()).toEqual([next, before]);

    await changed('revoke', before, '--reason', REASON);
    await publishedAs(before, 'revoked');
    const refused = await verified(first);
    expect([refused.ok, refused.signature.detail]).toEqual([false, expect.stringMatching(`revoked at .*: ${REASON}$`)]);
    expect(await kids()).toEqual([next]);
    expect(await verified(reports.at(-1)!)).toMatchObject({ ok: true });
  }, 60_000);

  it('refuse exports with 503 while none is active, until another one is created', async () => {
    const { activeKeyId } = await listed();
    expect((await admin('revoke', activeKeyId)).code).toBe(64);
    expect(await admin('revoke', 'key_0123456789abcdef', '--reason', REASON)).toMatchObject({ code: 1, stdout: '' });
    const { code, stdout } = await admin('revoke', activeKeyId, '--reason', REASON);
    expect([code, stdout]).toEqual([0, expect.stringContaining('exports are refused until `keys rotate`')]);
    const none = await exported();
    expect([none.status, none.json]).toEqual([
      503,
      { error: 'no signing key is active: whoever operates this service must rotate to a new one' },
    ]);
    const next = await changed('rotate');
    expect(signerOf(await exported())).toBe(next);
  }, 60_000);

  if (profile === 'distributed') {
    it('are read from their folder if no instance is running', async () => {
      const { code, stdout, stderr } = await admin('list', '--stopped', '--json');
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toBe((await admin('list', '--json')).stdout);
      const elsewhere = await admin('list', '--stopped', '--data-dir', join(instance.dataDir, 'none'));
      expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining('name the data directory')]);
    }, 60_000);
  }

  if (profile === 'embedded') {
    let issued: Answer;
    it('are encrypted by a passphrase at the next start, which a wrong one refuses; and change on a stopped instance', async () => {
      const folder = join(instance.dataDir, 'reporting/keys');
      const files = (): readonly string[] =>
        readdirSync(folder)
          .filter((name) => name.endsWith('.json'))
          .map((name) => readFileSync(join(folder, name), 'utf8'));
      await instance.stop();
      const waiting = await changed('create');
      instance = await instance.startAgain({ env: { COUNTERSIGN_SIGNING_PASSPHRASE: PASSPHRASE } });
      expect(files().filter((text) => text.includes('BEGIN PRIVATE KEY'))).toEqual([]);
      session = await instance.session();
      expect(await changed('rotate')).toBe(waiting);
      issued = await exported();
      expect(signerOf(issued)).toBe(waiting);
      expect(instance.output).not.toContain(PASSPHRASE);
      await instance.stop();
      const before = files();
      const wrong = { COUNTERSIGN_SIGNING_PASSPHRASE: 'not the one of these files' };
      const refused = await instance.startAgain({ env: wrong, wait: false });
      expect((await refused.ended).code).toBe(1);
      expect(refused.output).toContain('COUNTERSIGN_SIGNING_PASSPHRASE does not open the signing key');
      expect(refused.output).not.toContain('of these files');
      expect(files()).toEqual(before);
    }, 90_000);

    it('are removed if their file is lost: retired, or revoked with their signatures', async () => {
      const lost = signerOf(issued);
      rmSync(join(instance.dataDir, `reporting/keys/${lost}.json`));
      const refused = await instance.startAgain({ wait: false });
      expect((await refused.ended).code).toBe(1);
      expect(refused.output).toContain(`${lost}.json is missing`);
      const { code, stdout } = await admin('list');
      expect([code, stdout]).toEqual([0, expect.stringContaining(`${lost} is active and its private half is missing`)]);
      const next = await changed('rotate');
      instance = await instance.startAgain();
      session = await instance.session();
      await publishedAs(lost, 'retired');
      expect(await verified(issued)).toMatchObject({ ok: true });
      const report = await exported();
      expect(signerOf(report)).toBe(next);
      await changed('revoke', lost, '--reason', REASON);
      await publishedAs(lost, 'revoked');
      expect(await verified(issued)).toMatchObject({ ok: false, signature: { detail: expect.stringMatching(REASON) } });
      expect(await verified(report)).toMatchObject({ ok: true });
      expect(await kids()).not.toContain(lost);
    }, 90_000);
  }
});
