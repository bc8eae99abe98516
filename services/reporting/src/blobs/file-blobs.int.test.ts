import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
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
