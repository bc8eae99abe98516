import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BACKUP_MANIFEST } from '@countersign/process';
import { readManifest, type FileFacts, type Manifest } from './manifest.js';

export interface RestoredCopy {
  readonly manifest: Manifest;
  readonly bytes: number;
  /** One line for each file that is not as the manifest says; empty: the backup is whole. */
  readonly differences: readonly string[];
}

/**
 * Copies a backup to an empty folder, and compares the hash of every byte that it copies with the manifest. The backup is
 * only read.
 * @throws NoBackup if there is no manifest, or it is damaged
 */
export async function restoreCopy(
  backup: string,
  target: string,
  progress: (done: number, total: number) => void,
): Promise<RestoredCopy> {
  const manifest = readManifest(backup);
  const files = Object.entries(manifest.files);
  const total = files.reduce((sum, [, { bytes }]) => sum + bytes, 0);
  const differences = unlisted(backup, manifest);
  let done = 0;
  for (const [name, expected] of files) {
    mkdirSync(dirname(join(target, name)), { recursive: true, mode: 0o700 });
    const found = await copied(join(backup, name), join(target, name), (bytes) => {
      done += bytes;
      progress(Math.min(done, total), total);
    });
    if (found === null) differences.push(`${name} is missing`);
    else if (found.bytes !== expected.bytes) {
      differences.push(`${name} has ${found.bytes} bytes instead of ${expected.bytes}`);
    } else if (found.sha256 !== expected.sha256) differences.push(`${name} was changed: its hash is another`);
  }
  return { manifest, bytes: done, differences };
}

/** Files that the manifest does not list: SQLite would apply a write-ahead log, and services read all keys of a folder. */
function unlisted(backup: string, { files }: Manifest): string[] {
  return readdirSync(backup, { recursive: true, encoding: 'utf8' })
    .filter((name) => name !== BACKUP_MANIFEST && files[name] === undefined && statSync(join(backup, name)).isFile())
    .map((name) => `${name} was added`);
}

/** Copies and hashes a file; `null`: it is missing. */
async function copied(from: string, to: string, onRead: (bytes: number) => void): Promise<FileFacts | null> {
  let source: FileHandle;
  try {
    source = await open(from, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const target = await open(to, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    const buffer = Buffer.alloc(1024 * 1024);
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await source.read(buffer);
      if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
      const chunk = buffer.subarray(0, bytesRead);
      hash.update(chunk);
      await target.writeFile(chunk);
      bytes += bytesRead;
      onRead(bytesRead);
    }
  } finally {
    await source.close();
    await target.close();
  }
}
