import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { BACKUP_MANIFEST, writeFileWhole } from '@countersign/process';

const FORMAT = 1;

/** Content of a backup. */
export interface Manifest {
  readonly format: typeof FORMAT;
  /** Time of the state that it holds, ISO 8601. */
  readonly takenAt: string;
  /** When its newest event was appended to the log, ISO 8601; `null`: the log holds none. */
  readonly newestEventAt: string | null;
  /** By path below the folder. */
  readonly files: Readonly<Record<string, FileFacts>>;
}

export interface FileFacts {
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
}

/** The folder holds no backup, or its manifest was changed. */
export class NoBackup extends Error {
  override readonly name = 'NoBackup';
}

/** Computes the hash of a file; its bytes are durable afterwards. */
export async function factsOf(file: string, onRead: (bytes: number) => void = () => undefined): Promise<FileFacts> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    onRead(chunk.length);
  }
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Writes the manifest with a hash of itself, durably. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFileWhole(join(folder, BACKUP_MANIFEST), textOf(manifest), 0o600);
}

/** @throws NoBackup if there is no manifest, or one of its bytes is not as it was written */
export function readManifest(folder: string): Manifest {
  const file = join(folder, BACKUP_MANIFEST);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new NoBackup(`${folder} is not a backup: it has no ${BACKUP_MANIFEST}`, { cause: error });
  }
  const manifest = parsed(text);
  if (manifest?.format !== FORMAT || textOf(manifest) !== text) {
    throw new NoBackup(`${file} is damaged, or another release wrote it`);
  }
  const outside = Object.keys(manifest.files).find((name) => name.split('/').some((part) => /^\.{0,2}$/u.test(part)));
  if (outside !== undefined) throw new NoBackup(`${file} names a file outside the backup: ${outside}`);
  return manifest;
}

function parsed(text: string): Manifest | null {
  try {
    return (JSON.parse(text) as { readonly manifest?: Manifest } | null)?.manifest ?? null;
  } catch {
    return null;
  }
}

function textOf(manifest: Manifest): string {
  const sha256 = createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
  return `${JSON.stringify({ manifest, sha256 }, null, 1)}\n`;
}
