import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deriveSecret, explain, sealingKeys } from '@countersign/process';
import { loadSessionSecret } from './session-tokens.js';

describe('secrets derived from the instance secret', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-secret-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

  it('are the same in every process that has the file, and differ by purpose', async () => {
    const file = join(folder, 'secret');
    writeFileSync(file, Buffer.alloc(32, 7));
    const one = { dataDir: join(folder, 'one'), instanceSecretFile: file };
    const two = { dataDir: join(folder, 'two'), instanceSecretFile: file };
    const tokens = await deriveSecret(one, 'session tokens');
    expect(hex(await deriveSecret(two, 'session tokens'))).toBe(hex(tokens));
    expect(hex(await deriveSecret(one, 'service credential'))).not.toBe(hex(tokens));
    expect(hex(await loadSessionSecret({ ...two, profile: 'distributed' }))).toBe(hex(tokens));
    // RFC 5869 with SHA-256, computed independently with HMAC alone.
    expect(hex(tokens)).toBe('01823b2f247b396ff826ef76a4cbdfcbe5e3618428729cfeee09980f5ebcb7fa');
  });

  it('are those of the previous secret as well, while its file is beside the present one', async () => {
    const file = join(folder, 'secret');
    const config = { dataDir: folder, instanceSecretFile: file };
    writeFileSync(file, Buffer.alloc(32, 7));
    const before = await sealingKeys(config, 'alert secrets');
    expect(before).toEqual({ present: await deriveSecret(config, 'alert secrets'), previous: null });
    writeFileSync(`${file}.previous`, Buffer.alloc(32, 7));
    await expect(sealingKeys(config, 'alert secrets')).rejects.toThrow('.previous holds the present instance secret');
    writeFileSync(file, Buffer.alloc(32, 8));
    const { present, previous } = await sealingKeys(config, 'alert secrets');
    expect([hex(previous!), hex(present)]).toEqual([
      hex(before.present),
      hex(await deriveSecret(config, 'alert secrets')),
    ]);
    writeFileSync(`${file}.previous`, 'short');
    await expect(sealingKeys(config, 'alert secrets')).rejects.toThrow('.previous holds less than 32 bytes');
  });

  it('come from a file that is created once in the data directory if none is named', async () => {
    const config = { dataDir: folder, instanceSecretFile: null };
    const made = await Promise.all(Array.from({ length: 8 }, () => deriveSecret(config, 'service credential')));
    expect(new Set(made.map(hex)).size).toBe(1);
    expect(statSync(join(folder, 'instance-secret')).mode & 0o777).toBe(0o600);
  });

  it('are refused, for a session secret of another length, in one line that names the file', async () => {
    const file = join(folder, 'session-secret');
    writeFileSync(file, 'short');
    const loading = loadSessionSecret({ dataDir: folder, profile: 'embedded', instanceSecretFile: null });
    const error = await loading.then(String, explain);
    expect(error).toBe(`${file} is damaged: it must hold 32 bytes. Restore it, or move it away: all sessions end then`);
    expect(readFileSync(file, 'utf8')).toBe('short');
  });

  it('are refused, for a file that is absent or too short, with its name', async () => {
    const file = join(folder, 'absent');
    const config = { dataDir: folder, instanceSecretFile: file };
    await expect(deriveSecret(config, 'session tokens')).rejects.toThrow(
      `COUNTERSIGN_INSTANCE_SECRET_FILE names ${file}, and there is no such file`,
    );
    writeFileSync(file, 'short');
    await expect(deriveSecret(config, 'session tokens')).rejects.toThrow(`${file} holds less than 32 bytes`);
  });
});
