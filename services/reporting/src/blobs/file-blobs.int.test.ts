import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blobsContract } from './blobs.contract.js';
import { openFileBlobs } from './file-blobs.js';
import { killedPut, moduleText } from './killed-put.test-kit.js';

let folder: string | null = null;
const directory = (): string => (folder ??= mkdtempSync(join(tmpdir(), 'blobs-')));

blobsContract('files', {
  open: () => openFileBlobs(directory()),
  dieWhilePutting: (name) =>
    killedPut(
      `(await import(${moduleText('blobs/file-blobs.js')})).openFileBlobs(${JSON.stringify(directory())})`,
      name,
    ),
  pieces: async () => readdirSync(directory()).length,
  async clean() {
    rmSync(directory(), { recursive: true });
    folder = null;
  },
});

it('lists no file of the folder that is not a blob', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'blobs-'));
  mkdirSync(join(folder, 'lost+found'));
  writeFileSync(join(folder, '.nfs0001'), '');
  const blobs = await openFileBlobs(folder);
  await blobs.put('ab'.repeat(32), ['x']);
  expect(await blobs.namesBefore(Date.now() + 60_000)).toEqual(['ab'.repeat(32)]);
  rmSync(folder, { recursive: true });
});
