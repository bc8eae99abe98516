import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, StoreDamaged } from './open-database.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-database-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a SQLite file', () => {
  const FIRST = 'CREATE TABLE t (x INTEGER)';
  const file = (): string => join(folder, 'a', 'store.db');

  it('is durable, private and checked', () => {
    const database = openDatabase(file(), [FIRST]);
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(database.pragma('synchronous', { simple: true })).toBe(2);
    expect(database.pragma('foreign_keys', { simple: true })).toBe(1);
    for (const name of ['', '-wal', '-shm']) expect(statSync(file() + name).mode & 0o777).toBe(0o600);
    database.close();
  });

  it('is migrated step by step, each step once', () => {
    openDatabase(file(), [FIRST, 'INSERT INTO t VALUES (1)']).close();
    const database = openDatabase(file(), [FIRST, 'INSERT INTO t VALUES (1)', 'INSERT INTO t VALUES (2)']);
    expect(database.prepare('SELECT x FROM t ORDER BY x').pluck().all()).toEqual([1, 2]);
    database.close();
    expect(() => openDatabase(file(), [FIRST])).toThrow('was written by a newer release');
  });

  it('takes a step whole or not at all', () => {
    openDatabase(file(), [FIRST]).close();
    expect(() => openDatabase(file(), [FIRST, 'INSERT INTO t VALUES (1); INSERT INTO nothing VALUES (1)'])).toThrow();
    const database = openDatabase(file(), [FIRST]);
    expect(database.prepare('SELECT count(*) FROM t').pluck().get()).toBe(0);
    database.close();
  });

  it('that is damaged is named and left as it is', () => {
    openDatabase(file(), [FIRST]).close();
    const garbage = Buffer.alloc(8192, 'garbage');
    writeFileSync(file(), garbage);
    expect(() => openDatabase(file(), [FIRST])).toThrow(StoreDamaged);
    expect(() => openDatabase(file(), [FIRST])).toThrow(file());
    expect(readFileSync(file()).equals(garbage)).toBe(true);
  });
});
