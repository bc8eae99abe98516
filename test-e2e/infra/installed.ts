import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export type ServerName = 'kafka' | 'mongo' | 'redis' | 'toxiproxy';

export const SERVERS: readonly ServerName[] = ['kafka', 'mongo', 'redis', 'toxiproxy'];

/** Folder of the parts that `install.sh` installs. */
export function cacheFolder(): string {
  const named = process.env['COUNTERSIGN_TEST_INFRA_DIR'];
  return named === undefined || named === '' ? join(homedir(), '.cache', 'countersign-infra') : named;
}

/** The servers that cannot be started as processes on this machine. */
export function notInstalled(): readonly ServerName[] {
  return SERVERS.filter((name) =>
    name === 'redis' ? !runs('redis-server', '--version') : !existsSync(join(cacheFolder(), name, '.complete')),
  );
}

/** True if these can be started as processes, for fault injection. */
export function isInstalled(...names: readonly ServerName[]): boolean {
  const missing = notInstalled();
  return names.every((name) => !missing.includes(name));
}

/** Folder of `node` (the oldest supported by the JavaScript client), `deno` and `bun`; `null`: they are not installed. */
export function runtimesFolder(): string | null {
  const folder = join(cacheFolder(), 'runtimes');
  return existsSync(join(folder, '.complete')) ? join(folder, 'bin') : null;
}

/** A client may be installed without an engine: only an answer counts. */
export function containerEngineAnswers(): boolean {
  return runs('docker', 'info');
}

function runs(command: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore', timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}
