import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSqliteLog, verifyLog } from './read-sqlite-log.js';
import { openSqliteLog } from './sqlite-log.js';

const PROGRAM = fileURLToPath(new URL('./appender.test-program.js', import.meta.url));
const ROUNDS = 6;

/** Runs the appending program, kills it with SIGKILL after some time, and returns its complete output. */
async function appendUntilKilled(file: string, afterMs: number): Promise<string[]> {
  const child = spawn(process.execPath, [PROGRAM, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (printed === '') setTimeout(() => child.kill('SIGKILL'), afterMs);
    printed += text;
  });
  await new Promise((resolve) => child.on('close', resolve));
  const lines = printed.split('\n').slice(0, -1);
  expect(lines.shift()).toBe('ready');
  return lines;
}

it('has every acknowledged record after SIGKILL, repeatedly on one file', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'event-log-'));
  const file = join(directory, 'log.db');
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    acknowledged.push(...(await appendUntilKilled(file, 30 + 70 * round)));
    const stored = new Map<number, string>();
    const log = readSqliteLog(file);
    for (const record of log.records('agent-events')) stored.set(record.offset, new TextDecoder().decode(record.value));
    log.close();
    const missing = acknowledged.filter((line) => {
      const space = line.indexOf(' ');
      return stored.get(Number(line.slice(0, space))) !== line.slice(space + 1);
    });
    expect(missing).toEqual([]);
  }
  expect(acknowledged.length).toBeGreaterThan(ROUNDS * 10);
  expect(verifyLog(file)).toEqual([]);
  const log = await openSqliteLog({ file });
  await expect(log.append([{ topic: 'agent-events', key: 'k', value: 'after' }])).resolves.toHaveLength(1);
  await log.close();
  rmSync(directory, { recursive: true });
}, 60_000);
