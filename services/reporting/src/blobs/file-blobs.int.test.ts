import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blobsContract } from './blobs.contract.js';
import { openFileBlobs } from './file-blobs.js';

let folder: string | null = null;
const directory = (): string => (folder ??= mkdtempSync(join(tmpdir(), 'blobs-')));

blobsContract('files', {
  open: () => openFileBlobs(directory()),
  async dieWhilePutting(name) {
    writeFileSync(join(directory(), `${name}.00000000-0000-4000-8000-000000000000.draft`), 'half');
  },
  pieces: async () => readdirSync(directory()).length,
  async clean() {
    rmSync(directory(), { recursive: true });
    folder = null;
  },
});
