import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { LogDamaged, LogInDoubt, LogRefused } from '../port.js';
import type { NewRecord } from '../port.js';
import { LIMIT_FRAMES } from './checkpoint-plan.js';
import { latchMark } from './open-file.js';
import { readSqliteLog, verifyLog } from './read-sqlite-log.js';
import { openSqliteLog } from './sqlite-log.js';

/** A page and its header in the write-ahead log. */
const FRAME_BYTES = 4096 + 24;

const record = (value: string): NewRecord => ({ topic: 'agent-events', key: 'k', value });

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'event-log-'));
  file = join(directory, 'log.db');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Changes the file as another program would. */
function tamper(sql: string): void {
  const connection = new Database(file);
  connection.exec(sql);
  connection.close();
}

async function fill(count: number): Promise<void> {
  const log = await openSqliteLog({ file });
  for (let n = 0; n < count; n++) await log.append([record(`{"n":${n},"filler":"${'f'.repeat(500)}"}`)]);
  await log.close();
}

const valuesOf = (path: string) => {
  const log = readSqliteLog(path);
  const values = [...log.records('agent-events')].map((read) => new TextDecoder().decode(read.value));
  log.close();
  return values;
};

describe('a write that fails', () => {
  it('before the commit: the batch is refused, certainly not in the log, and the writer latches', async () => {
    const log = await openSqliteLog({ file });
    await log.append([record('1')]);
    tamper(`CREATE TRIGGER fault BEFORE INSERT ON topic_agent_events BEGIN SELECT RAISE(ABORT, 'disk I/O error'); END`);
    await expect(log.append([record('2')])).rejects.toThrow(LogRefused);
    expect(log.refusing()).toContain('disk I/O error');
    tamper('DROP TRIGGER fault');
    await expect(log.append([record('3')])).rejects.toThrow(LogRefused);
    expect((await log.read('agent-events', 0, 0, 10)).map((read) => String(read.value))).toEqual(['1']);
    await expect(log.close()).rejects.toThrow('disk I/O error');
    expect(valuesOf(file)).toEqual(['1']);
  });

  it('at the commit: the batch is in doubt, and nothing is accepted until the log is opened again', async () => {
    const log = await openSqliteLog({ file });
    await log.append([record('1')]);
    tamper(`CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE child (id INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER fault AFTER INSERT ON topic_agent_events BEGIN INSERT INTO child VALUES (1); END`);
    const calls = await Promise.allSettled([log.append([record('2')]), log.append([record('3')])]);
    for (const call of calls) expect(call).toMatchObject({ reason: expect.any(LogInDoubt) });
    await expect(log.append([record('4')])).rejects.toThrow(LogRefused);
    expect(existsSync(latchMark(file))).toBe(true);
    await expect(log.close()).rejects.toThrow('FOREIGN KEY');
    tamper('DROP TRIGGER fault');
    const again = await openSqliteLog({ file });
    expect(existsSync(latchMark(file))).toBe(false);
    await expect(again.append([record('5')])).resolves.toHaveLength(1);
    await again.close();
    expect(valuesOf(file)).toEqual(['1', '5']);
  });

  it('is not started where the disk has too little room', async () => {
    const first = await openSqliteLog({ file });
    await first.append([record('1')]);
    await first.close();
    const log = await openSqliteLog({ file, keptFreeBytes: Number.MAX_SAFE_INTEGER });
    await expect(log.append([record('2')])).rejects.toThrow(/^the disk of .* is full: /u);
    expect(log.refusing()).toContain('nothing has to be restarted');
    expect(existsSync(latchMark(file))).toBe(false);
    await log.close();
    expect(valuesOf(file)).toEqual(['1']);
  });

  it('in housekeeping latches as well', async () => {
    const log = await openSqliteLog({ file });
    tamper(`CREATE TRIGGER fault BEFORE DELETE ON topic_agents BEGIN SELECT RAISE(ABORT, 'disk full'); END`);
    await log.append([1, 2].map((n) => ({ topic: 'agents', key: 'same', value: String(n) })));
    await expect(log.maintain(Date.now())).rejects.toThrow('disk full');
    expect(log.refusing()).toContain('disk full');
    await expect(log.close()).rejects.toThrow('disk full');
  });
});

describe('a damaged file', () => {
  it.each([
    ['cut short', () => truncateSync(file, 8192)],
    ['emptied', () => truncateSync(file, 0)],
    ['overwritten', () => writeFileSync(file, 'not a database, but long enough to be read'.repeat(200))],
    ['of another program', () => tamper('PRAGMA application_id = 1')],
    ['of another format', () => tamper('PRAGMA user_version = 99')],
    ['without a table', () => tamper('DROP TABLE topic_agent_events')],
    ['made for other partitions', () => tamper("UPDATE meta SET value = '3' WHERE name = 'partitions'")],
  ])('%s: is named and left unchanged', async (_case, damage) => {
    await fill(50);
    damage();
    const before = readFileSync(file);
    await expect(openSqliteLog({ file })).rejects.toThrow(LogDamaged);
    await expect(openSqliteLog({ file })).rejects.toThrow(file);
    expect(() => readSqliteLog(file)).toThrow(LogDamaged);
    expect(verifyLog(file)).toEqual([expect.stringContaining(file)]);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('is not recreated when only its write-ahead log is left', async () => {
    writeFileSync(`${file}-wal`, 'left over');
    await expect(openSqliteLog({ file })).rejects.toThrow(LogDamaged);
    expect(existsSync(file)).toBe(false);
  });

  it('with one flipped bit in a record: reading names topic and offset, a consumer stalls', async () => {
    await fill(50);
    expect(verifyLog(file)).toEqual([]);
    const bytes = readFileSync(file);
    const at = bytes.indexOf('"n":17,');
    bytes[at + 4] = (bytes[at + 4] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const named = `agent-events at offset 17 is damaged`;
    expect(verifyLog(file)).toEqual([expect.stringContaining(named)]);
    const log = await openSqliteLog({ file });
    await expect(log.read('agent-events', 0, 0, 100)).rejects.toThrow(named);
    const handled: number[] = [];
    const consumption = await log.consume({
      group: 'g',
      topics: ['agent-events'],
      mode: 'everyone',
      position: () => null,
      maxBatch: 10,
      handle: ({ records }) => void handled.push(...records.map(({ offset }) => offset)),
    });
    while (consumption.stalled() === null) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(consumption.stalled()).toContain(named);
    expect(handled).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await log.close();
  });

  it('with a record missing from the middle: reading names it', async () => {
    await fill(20);
    tamper('DELETE FROM topic_agent_events WHERE record_offset IN (5, 6)');
    expect(verifyLog(file)).toEqual([expect.stringContaining('from offset 5 to 6 are missing')]);
  });

  it('is checked page by page after a failed write', async () => {
    await fill(400);
    const bytes = readFileSync(file);
    bytes.fill(0xff, 50 * 4096, 50 * 4096 + 200);
    writeFileSync(file, bytes);
    const unmarked = await openSqliteLog({ file });
    await unmarked.close();
    writeFileSync(latchMark(file), 'a sync failed\n');
    await expect(openSqliteLog({ file })).rejects.toThrow(LogDamaged);
    expect(existsSync(latchMark(file))).toBe(true);
  });
});

describe('the file', () => {
  it('is synced in full at each commit and closed without a write-ahead log', async () => {
    await fill(3);
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(valuesOf(file)).toHaveLength(3);
  });

  it('keeps its write-ahead log small under load', async () => {
    const log = await openSqliteLog({ file });
    const value = 'v'.repeat(900);
    for (let round = 0; round < 300; round++) {
      await Promise.all(Array.from({ length: 64 }, () => log.append([record(value)])));
    }
    const bytes = statSync(`${file}-wal`).size;
    await log.close();
    // One commit more than the limit: a commit of 64 such records takes some 20 pages.
    expect(bytes).toBeLessThan((LIMIT_FRAMES + 100) * FRAME_BYTES);
  });

  it('keeps no bytes of what retention deleted', async () => {
    const log = await openSqliteLog({ file });
    await log.append([record('{"secret":"to be forgotten"}')]);
    await log.maintain(Date.now() + 31 * 86_400_000);
    for (const name of [file, `${file}-wal`]) expect(readFileSync(name).includes('to be forgotten')).toBe(false);
    await log.close();
    expect(readFileSync(file).includes('to be forgotten')).toBe(false);
  });
});
