import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodeCrypto } from '@countersign/service-kit';
import { openKeyRing } from './key-ring.js';

describe('the key ring', () => {
  const folder = mkdtempSync(join(tmpdir(), 'key-ring-'));
  const directory = join(folder, 'keys');
  const open = (nowIso = '2026-01-01T00:00:00.000Z') => openKeyRing(directory, nowIso, nodeCrypto);
  const keyFiles = (): string[] => readdirSync(directory).filter((name) => name.endsWith('.json'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('makes one key at the first start and signs with it at every later one', async () => {
    const first = (await open()).active();
    const name = keyFiles()[0];
    expect(readdirSync(directory).sort()).toEqual(['first-key', `${first.keyId}.json`]);
    expect(statSync(join(directory, name!)).mode & 0o777).toBe(0o600);
    const later = (await open('2026-02-01T00:00:00.000Z')).active();
    const message = new TextEncoder().encode('a report');
    expect(nodeCrypto.ed25519Verify(first.publicKey, message, later.sign(message))).toBe(true);
  });

  it('refuses a damaged file by its name and leaves it', async () => {
    const [name] = keyFiles();
    writeFileSync(join(directory, name!), '{"version":1}');
    await expect(open()).rejects.toThrow(name);
    expect(keyFiles()).toEqual([name]);
  });

  it('makes one key where many instances start at once, in one process and in several', async () => {
    const shared = join(folder, 'shared');
    const here = await Promise.all(
      Array.from({ length: 8 }, () => openKeyRing(shared, '2026-01-01T00:00:00.000Z', nodeCrypto)),
    );
    expect(new Set(here.map((ring) => ring.active().keyId)).size).toBe(1);
    expect(readdirSync(shared).sort()).toEqual(['first-key', `${here[0]!.active().keyId}.json`]);

    const apart = join(folder, 'apart');
    const ids = await Promise.all(Array.from({ length: 3 }, () => openElsewhere(apart)));
    expect(new Set(ids).size).toBe(1);
    expect(readdirSync(apart).sort()).toEqual(['first-key', `${ids[0]}.json`]);
  });

  it('finishes what a killed process had begun', async () => {
    const killed = join(folder, 'killed');
    const { keyId } = (await openKeyRing(killed, '2026-01-01T00:00:00.000Z', nodeCrypto)).active();
    renameSync(join(killed, `${keyId}.json`), join(killed, `${keyId}.candidate`));
    // Published by then, as after a power loss that took the new name alone.
    const again = await openKeyRing(killed, '2026-02-01T00:00:00.000Z', nodeCrypto, [keyId]);
    expect(again.active().keyId).toBe(keyId);
    expect(readdirSync(killed).sort()).toEqual(['first-key', `${keyId}.json`]);
  });

  it('makes no key in a folder that lacks one in use', async () => {
    const wrong = join(folder, 'wrong');
    await expect(openKeyRing(wrong, '2026-01-01T00:00:00.000Z', nodeCrypto, ['key_0123456789abcdef'])).rejects.toThrow(
      'key_0123456789abcdef.json is missing',
    );
    expect(readdirSync(wrong)).toEqual([]);
  });

  it('makes no other key where the first one was lost, and names its file', async () => {
    const lost = join(folder, 'lost');
    const { keyId } = (await openKeyRing(lost, '2026-01-01T00:00:00.000Z', nodeCrypto)).active();
    rmSync(join(lost, `${keyId}.json`));
    await expect(openKeyRing(lost, '2026-02-01T00:00:00.000Z', nodeCrypto)).rejects.toThrow(`${keyId}.json is missing`);
    expect(readdirSync(lost)).toEqual(['first-key']);
  });
});

/** The id of the active key, as another process finds it. */
async function openElsewhere(directory: string): Promise<string> {
  const ring = new URL('./key-ring.js', import.meta.url).href;
  const script = `
    const { nodeCrypto } = await import('@countersign/service-kit');
    const { openKeyRing } = await import(${JSON.stringify(ring)});
    const ring = await openKeyRing(${JSON.stringify(directory)}, '2026-01-01T00:00:00.000Z', nodeCrypto);
    process.stdout.write(ring.active().keyId);`;
  const cwd = fileURLToPath(new URL('../../', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd });
  return stdout;
}
