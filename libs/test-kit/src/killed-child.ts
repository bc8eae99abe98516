import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/**
 * Runs a module in a process of its own and ends it with SIGKILL some time after its first line, or after
 * `wait` more if it writes none.
 * @returns the lines that it has written
 * @throws if it ended by itself with an error
 */
export async function killedChild(
  module: string,
  args: readonly string[],
  afterMs: number,
  wait = 5000,
): Promise<readonly string[]> {
  const child = spawn(process.execPath, [module, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  let timer = setTimeout(() => child.kill('SIGKILL'), wait + afterMs);
  reader.on('line', (line) => {
    if (lines.length === 0) {
      clearTimeout(timer);
      timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
    }
    lines.push(line);
  });
  const read = once(reader, 'close');
  const [code, signal] = await exit;
  clearTimeout(timer);
  await read;
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`${module} ended with ${code}`);
  return lines;
}
