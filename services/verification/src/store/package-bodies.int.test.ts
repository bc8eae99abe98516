import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFilePackageBodies } from './package-bodies.js';

describe('the packages of an installation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'package-bodies-'));
  const bodies = openFilePackageBodies(folder);
  afterAll(async () => {
    await bodies.close();
    rmSync(folder, { recursive: true });
  });

  it('are read by their hash, and are null where there is none', async () => {
    writeFileSync(join(folder, 'ab'.repeat(32)), '{"a":1}');
    const stored = await bodies.get('ab'.repeat(32));
    const chunks: Uint8Array[] = [];
    for await (const chunk of stored!.chunks) chunks.push(chunk);
    expect([stored!.bytes, Buffer.concat(chunks).toString()]).toEqual([7, '{"a":1}']);
    expect(await bodies.get('cd'.repeat(32))).toBeNull();
  });

  it('are named by a hash and nothing else', async () => {
    writeFileSync(join(folder, 'other'), 'x');
    for (const name of ['other', '../x', `${'ab'.repeat(32)}/..`])
      await expect(bodies.get(name)).rejects.toThrow(RangeError);
  });

  it('fail where the folder cannot be read, rather than to be nothing', async () => {
    writeFileSync(join(folder, 'file'), 'x');
    await expect(openFilePackageBodies(join(folder, 'file')).get('ab'.repeat(32))).rejects.toThrow('ENOTDIR');
  });
});
