import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Stores a blob in a child process, which kills itself with SIGKILL once several MiB are written.
 * @param open an expression for the store, evaluated in a script of this package
 */
export async function killedPut(open: string, name: string): Promise<void> {
  const script = `
    const blobs = await (${open});
    const endless = function* () {
      for (let piece = 0; ; piece += 1) {
        if (piece === 8) process.kill(process.pid, 'SIGKILL');
        yield Buffer.alloc(512 * 1024, 'half ');
      }
    };
    await blobs.put(${JSON.stringify(name)}, endless());`;
  const cwd = fileURLToPath(new URL('../../', import.meta.url));
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (signal !== 'SIGKILL') throw new Error('the process that was to be killed ended by itself');
}

/** The URL of a compiled module of this folder's parent, as source text of a script. */
export function moduleText(path: string): string {
  return JSON.stringify(new URL(`../${path}`, import.meta.url).href);
}
