import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeCrypto } from '@countersign/service-kit';
import { openKeyRing } from './key-ring.js';

describe('the key ring', () => {
  const folder = mkdtempSync(join(tmpdir(), 'key-ring-'));
  const directory = join(folder, 'keys');
  const open = (nowIso = '2026-01-01T00:00:00.000Z') => openKeyRing(directory, nowIso, nodeCrypto);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('makes one key at the first start and signs with it at every later one', async () => {
    const first = (await open()).active();
    const [name, ...others] = readdirSync(directory);
    expect([name, others]).toEqual([`${first.keyId}.json`, []]);
    expect(statSync(join(directory, name!)).mode & 0o777).toBe(0o600);
    const later = (await open('2026-02-01T00:00:00.000Z')).active();
    const message = new TextEncoder().encode('a report');
    expect(nodeCrypto.ed25519Verify(first.publicKey, message, later.sign(message))).toBe(true);
  });

  it('refuses a damaged file by its name and leaves it', async () => {
    const [name] = readdirSync(directory);
    writeFileSync(join(directory, name!), '{"version":1}');
    await expect(open()).rejects.toThrow(name);
    expect(readdirSync(directory)).toEqual([name]);
  });
});
