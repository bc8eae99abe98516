import { execFile } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { SigningKeyDamaged, SigningKeyLocked } from './key-file.js';
import { KeyFolder } from './key-folder.js';
import type { Passphrase } from './passphrase.js';

const SECRET = 'correct horse battery staple';
const PASSPHRASE: Passphrase = { setting: 'COUNTERSIGN_SIGNING_PASSPHRASE', text: SECRET };
const MESSAGE = new TextEncoder().encode('a report');

describe('the folder of keys', () => {
  const root = mkdtempSync(join(tmpdir(), 'key-folder-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  let count = 0;
  const newFolder = (): string => join(root, String((count += 1)));
  const folderAt = (directory: string, passphrase: Passphrase | null = null): KeyFolder =>
    new KeyFolder(directory, passphrase, nodeCrypto, () => '2026-01-01T00:00:00.000Z');
  const made = async (directory: string, passphrase: Passphrase | null = null): Promise<string> => {
    const folder = folderAt(directory, passphrase);
    mkdirSync(directory, { recursive: true });
    await folder.makeFirst();
    return (await folder.all())[0]!.id;
  };
  const textOf = (directory: string, id: string): string => readFileSync(join(directory, `${id}.json`), 'utf8');
  const signs = async (folder: KeyFolder, id: string): Promise<boolean> => {
    const { publicKey, sign } = await folder.signer(id);
    return nodeCrypto.ed25519Verify(publicKey, MESSAGE, await sign(MESSAGE));
  };

  it('creates one key at the first start, also on concurrent starts', async () => {
    const directory = newFolder();
    const ids = await Promise.all(Array.from({ length: 8 }, () => made(directory)));
    expect(new Set(ids).size).toBe(1);
    expect(readdirSync(directory).sort()).toEqual(['first-key', `${ids[0]}.json`]);
    expect(statSync(join(directory, `${ids[0]}.json`)).mode & 0o777).toBe(0o600);
    expect(await signs(folderAt(directory), ids[0]!)).toBe(true);
  });

  it('finishes the work of a killed process, and creates no other key if the first is lost', async () => {
    const directory = newFolder();
    const id = await made(directory);
    renameSync(join(directory, `${id}.json`), join(directory, `${id}.candidate`));
    expect(await made(directory)).toBe(id);
    rmSync(join(directory, `${id}.json`));
    await expect(made(directory)).rejects.toThrow(`${id}.json is missing`);
    expect(readdirSync(directory)).toEqual(['first-key']);
  });

  it('refuses a damaged file and one of another name by its own, and leaves it', async () => {
    const directory = newFolder();
    const id = await made(directory);
    const good = textOf(directory, id);
    for (const bad of ['{"version":1}', good.replace('BEGIN', 'BEGAN'), '']) {
      writeFileSync(join(directory, `${id}.json`), bad);
      await expect(folderAt(directory).all()).rejects.toThrow(SigningKeyDamaged);
      expect(textOf(directory, id)).toBe(bad);
    }
    renameSync(join(directory, `${id}.json`), join(directory, 'key_0123456789abcdef.json'));
    writeFileSync(join(directory, 'key_0123456789abcdef.json'), good);
    await expect(folderAt(directory).all()).rejects.toThrow('key_0123456789abcdef.json is damaged');
  });

  it('encrypts new files, so that openssl opens them with the passphrase and not without', async () => {
    const directory = newFolder();
    const id = await made(directory, PASSPHRASE);
    const { privateKeyPem } = JSON.parse(textOf(directory, id)) as { privateKeyPem: string };
    expect(privateKeyPem).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----/);
    expect(await signs(folderAt(directory, PASSPHRASE), id)).toBe(true);
    const pem = join(root, 'key.pem');
    writeFileSync(pem, privateKeyPem);
    const args = ['pkey', '-in', pem, '-passin', `pass:${SECRET}`, '-pubout'];
    const opened = await promisify(execFile)('openssl', args).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      console.warn('skipped: there is no openssl');
      return null;
    });
    if (opened !== null) {
      const { x } = createPublicKey(opened.stdout).export({ format: 'jwk' });
      expect(Buffer.from(x!, 'base64url').toString('hex')).toBe((await folderAt(directory).all())[0]!.publicKeyHex);
    }
  });

  it('names the setting that would open an encrypted key, and overwrites nothing', async () => {
    const directory = newFolder();
    const id = await made(directory, PASSPHRASE);
    const before = textOf(directory, id);
    await expect(folderAt(directory).signer(id)).rejects.toThrow('set COUNTERSIGN_SIGNING_PASSPHRASE_FILE');
    const wrong = { setting: 'COUNTERSIGN_SIGNING_PASSPHRASE_FILE', text: 'not the passphrase' } as const;
    const refusal = await folderAt(directory, wrong)
      .signer(id)
      .catch((error: unknown) => error as Error);
    expect(refusal).toBeInstanceOf(SigningKeyLocked);
    expect((refusal as Error).message).toMatch(/^COUNTERSIGN_SIGNING_PASSPHRASE_FILE does not open the signing key /);
    expect((refusal as Error).message).not.toContain(wrong.text);
    expect(textOf(directory, id)).toBe(before);
  });

  it('encrypts plain files once, and none if the passphrase does not open the others', async () => {
    const directory = newFolder();
    const id = await made(directory);
    expect(await folderAt(directory).encryptAll()).toEqual([]);
    expect(await folderAt(directory, PASSPHRASE).encryptAll()).toEqual([id]);
    const encrypted = textOf(directory, id);
    expect(encrypted).toContain('ENCRYPTED PRIVATE KEY');
    expect(await folderAt(directory, PASSPHRASE).encryptAll()).toEqual([]);
    expect(textOf(directory, id)).toBe(encrypted);
    expect(await signs(folderAt(directory, PASSPHRASE), id)).toBe(true);
    await folderAt(directory).create();
    const wrong = { ...PASSPHRASE, text: 'not the passphrase' };
    const before = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));
    await expect(folderAt(directory, wrong).encryptAll()).rejects.toThrow(SigningKeyLocked);
    expect(readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'))).toEqual(before);
  });
});
