import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readIfPresent, writeFileWhole } from '@countersign/process';

/** Unix socket paths hold 107 bytes and a zero on Linux, 103 on macOS. */
const LONGEST_PATH = 103;
const RECORD = 'socket-folder';

async function isOurs(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => null);
  return found !== null && found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
}

/** Folder of the sockets: the data directory, or, if its path is too long, the short one that it names. */
async function socketFolder(dataDir: string, name: string): Promise<string | null> {
  if (Buffer.byteLength(join(dataDir, name)) <= LONGEST_PATH) return dataDir;
  const recorded = await readIfPresent(join(dataDir, RECORD));
  const folder = recorded === null ? null : Buffer.from(recorded).toString('utf8');
  return folder !== null && (await isOurs(folder)) ? folder : null;
}

/** Path of a running instance's socket; `null`: there is none. */
export async function findSocket(dataDir: string, name: string): Promise<string | null> {
  const folder = await socketFolder(dataDir, name);
  return folder === null ? null : join(folder, name);
}

/**
 * A path to listen on, cleared of a socket that an earlier process left. A data directory with a long path gets a folder of
 * its own (mode 0700) in the system's temporary one. Only the process that holds the data directory calls this.
 */
export async function makeSocketPath(dataDir: string, name: string): Promise<string> {
  let folder = await socketFolder(dataDir, name);
  if (folder === null) {
    folder = await mkdtemp(join(tmpdir(), 'countersign-'));
    await writeFileWhole(join(dataDir, RECORD), folder, 0o600);
  }
  const path = join(folder, name);
  await rm(path, { force: true });
  return path;
}

/** After a stop: removes the folder that a long path required. */
export async function removeSocketFolder(dataDir: string): Promise<void> {
  const recorded = await readIfPresent(join(dataDir, RECORD));
  if (recorded === null) return;
  const folder = Buffer.from(recorded).toString('utf8');
  if (await isOurs(folder)) await rm(folder, { recursive: true });
  await rm(join(dataDir, RECORD));
}
