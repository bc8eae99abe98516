import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { SignerProcess } from './signer-process.test-kit.js';
import { KeysBench, type OpenedInstance } from './signing-keys.test-kit.js';

const SECRET = 'correct horse battery staple';
const TOKEN = 'a-token-that-is-not-printed';
const MESSAGE = new TextEncoder().encode('a report');

describe('the storage of signing keys', () => {
  let bench: KeysBench;
  let process: SignerProcess;
  let external: Readonly<Record<string, string>>;
  let folder: string;
  beforeAll(async () => {
    process = await SignerProcess.start(TOKEN);
  });
  afterAll(() => process.end());
  beforeEach(async () => {
    bench = await KeysBench.open();
    folder = bench.newFolder();
    const tokenFile = join(bench.root, 'token');
    writeFileSync(tokenFile, TOKEN);
    external = { COUNTERSIGN_SIGNER_URL: process.url, COUNTERSIGN_SIGNER_TOKEN_FILE: tokenFile };
  });
  afterEach(() => bench.close());
  const signs = async ({ keys, published }: OpenedInstance): Promise<string> => {
    const { keyId, publicKey, sign } = await keys.forReport(published);
    expect(nodeCrypto.ed25519Verify(publicKey, MESSAGE, await sign(MESSAGE))).toBe(true);
    return keyId;
  };
  const files = (): string =>
    readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');

  it('encrypts plain files at the next start with a passphrase, and opens them by a file as well', async () => {
    const keyId = await signs(await bench.instance(folder));
    expect(files()).toContain('BEGIN PRIVATE KEY');
    const passphraseFile = join(bench.root, 'passphrase');
    writeFileSync(passphraseFile, `${SECRET}\n`);
    expect(await signs(await bench.instance(folder, { COUNTERSIGN_SIGNING_PASSPHRASE_FILE: passphraseFile }))).toBe(
      keyId,
    );
    expect(files()).not.toContain('BEGIN PRIVATE KEY');
    const again = await bench.instance(folder, { COUNTERSIGN_SIGNING_PASSPHRASE: SECRET });
    expect(await signs(again)).toBe(keyId);
    await again.keys.rotate(null);
    expect(await signs(again)).not.toBe(keyId);
    expect(files()).not.toContain('BEGIN PRIVATE KEY');
    expect(bench.logged).not.toContain(SECRET);
    expect(bench.logged).not.toContain('PRIVATE KEY');
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['no passphrase', {}, 'set COUNTERSIGN_SIGNING_PASSPHRASE_FILE'],
    [
      'a wrong one',
      { COUNTERSIGN_SIGNING_PASSPHRASE: 'another passphrase' },
      'COUNTERSIGN_SIGNING_PASSPHRASE does not open the signing key',
    ],
    [
      'a short one',
      { COUNTERSIGN_SIGNING_PASSPHRASE: 'short' },
      'COUNTERSIGN_SIGNING_PASSPHRASE must hold 16 characters',
    ],
    [
      'a missing file',
      { COUNTERSIGN_SIGNING_PASSPHRASE_FILE: '/nonexistent/passphrase' },
      'COUNTERSIGN_SIGNING_PASSPHRASE_FILE names /nonexistent/passphrase, which cannot be read: ENOENT',
    ],
  ])('refuses to start with %s, naming the setting, and changes no file', async (_what, environment, message) => {
    await bench.instance(folder, { COUNTERSIGN_SIGNING_PASSPHRASE: SECRET });
    const before = files();
    await expect(bench.instance(folder, environment)).rejects.toThrow(message);
    expect(files()).toBe(before);
  });

  it('creates and uses keys at an external signer, with no private key in the folder', async () => {
    const one = await bench.instance(folder, external);
    const keyId = await signs(one);
    expect(await one.keys.list()).toMatchObject([{ id: keyId, status: 'active', custody: 'signer' }]);
    expect(readdirSync(folder)).toEqual(['ring.00000001']);
    expect(await signs(await bench.instance(folder, external))).toBe(keyId);
    await expect(bench.instance(folder)).rejects.toThrow('COUNTERSIGN_SIGNER_URL is missing');
    rmSync(folder, { recursive: true });
    await expect(bench.instance(folder, external)).rejects.toThrow(`${keyId}.json is missing`);
    expect(bench.logged).not.toContain(TOKEN);
  });

  it('moves from files to a signer by a rotation', async () => {
    const before = await signs(await bench.instance(folder));
    const moved = await bench.instance(folder, external);
    expect(await signs(moved)).toBe(before);
    const { keyId } = await moved.keys.rotate(null);
    expect(await signs(moved)).toBe(keyId);
    expect(await moved.keys.list()).toMatchObject([{ custody: 'file', status: 'retired' }, { custody: 'signer' }]);
  });

  it('moves back to files if the signer is removed', async () => {
    const keyId = await signs(await bench.instance(folder, external));
    const { keys } = await bench.operator(folder);
    expect(await keys.list()).toMatchObject([{ id: keyId, status: 'active', custody: 'missing' }]);
    const next = (await keys.rotate(null)).keyId;
    expect(await signs(await bench.instance(folder))).toBe(next);
    expect(await bench.statuses()).toEqual({ [keyId]: 'retired', [next]: 'active' });
  });

  it('refuses exports with 503 while the signer is down or signs incorrectly, and does not rotate to such a key', async () => {
    const own = await SignerProcess.start(TOKEN);
    const at = { ...external, COUNTERSIGN_SIGNER_URL: own.url };
    const one = await bench.instance(folder, at);
    const keyId = await signs(one);
    await own.behave('wrong');
    const signer = await one.keys.forReport(one.published);
    await expect(signer.sign(MESSAGE)).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    await expect(one.keys.rotate(null)).rejects.toThrow('cannot sign, so nothing was changed');
    expect(await one.keys.list()).toMatchObject([{ id: keyId, status: 'active' }, { status: 'published' }]);
    await own.end();
    await expect(signer.sign(MESSAGE)).rejects.toMatchObject({ status: 503 });
    // It starts nevertheless: the signer may come later.
    const started = await bench.instance(folder, at);
    await expect(started.keys.forReport(started.published)).rejects.toMatchObject({ status: 503 });
    expect(bench.logged).toContain('a wrong signature came for');
    expect(bench.logged).not.toContain(TOKEN);
  });
});
