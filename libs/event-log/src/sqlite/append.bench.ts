import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLog } from './sqlite-log.js';

/** Closed loop of single-record appends from one thread: `node dist/sqlite/append.bench.js [seconds]`. */
const seconds = Number(process.argv[2] ?? 3);
const value = JSON.stringify({ filler: 'x'.repeat(885) });

async function measure(concurrency: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'event-log-bench-'));
  const log = await openSqliteLog({ file: join(directory, 'log.db') });
  const took: number[] = [];
  const until = performance.now() + seconds * 1000;
  const loop = async () => {
    for (let begun = performance.now(); begun < until; begun = performance.now()) {
      await log.append([{ topic: 'agent-events', key: '0190a5f2-0000-7000-8000-000000000001', value }]);
      took.push(performance.now() - begun);
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: concurrency }, loop));
  const elapsed = (performance.now() - begun) / 1000;
  took.sort((a, b) => a - b);
  const at = (share: number) => (took[Math.floor(took.length * share)] ?? 0).toFixed(2);
  const rate = Math.round(took.length / elapsed);
  console.log(
    `${concurrency} at a time: ${rate} appends/s of ${value.length} bytes, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ` +
      `p99.9 ${at(0.999)} ms, most ${at(0.999999)} ms`,
  );
  await log.close();
  rmSync(directory, { recursive: true });
}

for (const concurrency of [1, 64, 256]) await measure(concurrency);
