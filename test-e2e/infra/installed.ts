import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export type ServerName = 'kafka' | 'mongo' | 'redis' | 'toxiproxy';

export const SERVERS: readonly ServerName[] = ['kafka', 'mongo', 'redis', 'toxiproxy'];

/** Where `install.sh` puts what it installs. */
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

/** Whether these can be started as processes, by a test that breaks its own. */
export function isInstalled(...names: readonly ServerName[]): boolean {
  const missing = notInstalled();
  return names.every((name) => !missing.includes(name));
}

/** Where `node` (the oldest that the JavaScript client is for), `deno` and `bun` lie; `null`: they are not installed. */
export function runtimesFolder(): string | null {
  const folder = join(cacheFolder(), 'runtimes');
  return existsSync(join(folder, '.complete')) ? join(folder, 'bin') : null;
}

/** A client may be there without an engine behind it: only an answer counts. */
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
