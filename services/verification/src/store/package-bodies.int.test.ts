import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFilePackageBodies, PackageRemoved } from './package-bodies.js';

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

  it('are gone where they are removed before they are read, and whole where it is after', async () => {
    const [one, two] = ['12', '34'].map((byte) => byte.repeat(32)) as [string, string];
    for (const name of [one, two]) writeFileSync(join(folder, name), Buffer.alloc(700_000));
    const removed = (await bodies.get(one))!.chunks[Symbol.asyncIterator]();
    rmSync(join(folder, one));
    await expect(removed.next()).rejects.toThrow(PackageRemoved);
    let bytes = 0;
    for await (const chunk of (await bodies.get(two))!.chunks) {
      rmSync(join(folder, two), { force: true });
      bytes += chunk.length;
    }
    expect(bytes).toBe(700_000);
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
