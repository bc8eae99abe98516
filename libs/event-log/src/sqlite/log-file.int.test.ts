import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMIT_FRAMES, RESET_FRAMES } from './checkpoint-plan.js';
import { connectReading, connectWriting } from './connection.js';
import { LogFile } from './log-file.js';
import { latchMark, openForWriting } from './open-file.js';
import type { AppendAnswer, AppendRequest } from './protocol.js';

const FRAME_BYTES = 4096 + 24;

/** Runs that end, or fail, only on the test's command. */
class Runs {
  underWay = false;
  ended = 0;
  waits = 0;
  stopped = false;
  failure: string | null = null;
  begin = (): void => void (this.underWay = true);
  problem = (): string | null => this.failure;
  wait = (): void => {
    this.waits += 1;
    this.end();
  };
  stop = (): void => void (this.stopped = true);
  end(): void {
    if (this.underWay) this.ended += 1;
    this.underWay = false;
  }
}

describe('the file and its checkpoint thread', () => {
  let directory: string;
  let file: string;
  let runs: Runs;
  let log: LogFile;
  let sequence = 0;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'event-log-'));
    file = join(directory, 'log.db');
    runs = new Runs();
    const connection = openForWriting(file, 0);
    // The test counts frames, not syncs.
    connection.pragma('synchronous = OFF');
    log = new LogFile(connection, file, runs);
  });
  afterEach(() => {
    log.close();
    rmSync(directory, { recursive: true });
  });

  const append = (values: readonly string[]): AppendAnswer => {
    const request: AppendRequest = {
      kind: 'append',
      sequence: ++sequence,
      topics: 0,
      keys: values.map(() => 'k'),
      values,
    };
    return log.append([request], 1)[0]!;
  };
  const commits = (count: number): void => {
    for (let n = 0; n < count; n += 1) {
      append(['v'.repeat(3000)]);
      log.checkpointIfDue();
    }
  };
  const walBytes = (): number => statSync(`${file}-wal`).size;

  it('refuse after a failure of the thread, and report no outcome that was decided after it', () => {
    expect(append(['before'])).toMatchObject({ first: 0 });
    // The thread fails during the commit: the poll before the commit cannot see it.
    let polls = 0;
    runs.problem = () => ((polls += 1) > 1 ? 'disk I/O error' : null);
    expect(append(['during'])).toMatchObject({
      outcome: 'in-doubt',
      reason: expect.stringContaining('disk I/O error'),
    });
    expect(append(['after'])).toMatchObject({ outcome: 'refused' });
    expect(existsSync(latchMark(file))).toBe(true);
    expect(log.change(() => undefined)).toBe(false);
    expect(log.close()).toContain('disk I/O error');
    expect(runs.stopped).toBe(true);
  });

  it('leave the log to grow up to its limit during a run, then wait for it', () => {
    commits(LIMIT_FRAMES);
    expect(runs.waits).toBeGreaterThan(0);
    expect(walBytes()).toBeLessThan((LIMIT_FRAMES + 10) * FRAME_BYTES);
    expect(walBytes()).toBeGreaterThan(RESET_FRAMES * FRAME_BYTES);
  }, 60_000);

  it('restart at the front of the log soon after a run', () => {
    const thread = connectWriting(file, false);
    for (let round = 0; round < LIMIT_FRAMES / 64; round += 1) {
      commits(64);
      if (!runs.underWay) continue;
      thread.pragma('wal_checkpoint(PASSIVE)');
      commits(8);
      runs.end();
      log.checkpointIfDue();
    }
    thread.close();
    expect(runs.waits).toBe(0);
    expect(walBytes()).toBeLessThan((RESET_FRAMES + 1024) * FRAME_BYTES);
  }, 60_000);

  it('continue beside a reader that keeps the log from restarting, and catch up once it has ended', () => {
    append(['first']);
    const reader = connectReading(file);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM topics').get();
    commits(LIMIT_FRAMES);
    expect(log.latched).toBeNull();
    const grown = walBytes();
    expect(grown).toBeGreaterThan(LIMIT_FRAMES * FRAME_BYTES);
    reader.exec('COMMIT');
    reader.close();
    commits(LIMIT_FRAMES);
    expect(walBytes()).toBeLessThan(grown + 300 * 2 * FRAME_BYTES);
  }, 60_000);
});
