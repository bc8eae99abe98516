import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLog } from '@countersign/event-log';
import type { SqliteLog } from '@countersign/event-log';
import { Projection } from './projection.js';
import { versionedRecord } from './versioned-record.js';

interface Thing {
  readonly name: string;
}

describe('a projection', () => {
  let folder: string;
  let eventLog: SqliteLog;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-kit-'));
    eventLog = await openSqliteLog({ file: join(folder, 'log.db') });
  });
  afterEach(async () => {
    await eventLog.close();
    await rm(folder, { recursive: true, force: true });
  });

  const put = (id: string, version: number, value: Thing | null): Promise<unknown> =>
    eventLog.append([versionedRecord<Thing>('agents', id, version, value)]);
  const follow = (): Promise<Projection<Thing>> =>
    Projection.follow<Thing>({ name: 'test', eventLog }, 'agents', { indexes: { name: (_id, { name }) => name } });

  it('has the newest version of each id, in whatever order they arrive', async () => {
    const projection = await follow();
    await put('a', 2, { name: 'second' });
    // The topic is compacted: a later record of a key may be the only one left.
    expect(await projection.waitFor('a', 2, 30_000)).toBe(true);
    await put('a', 1, { name: 'first' });
    await put('b', 1, { name: 'other' });
    await put('c', 1, { name: 'gone' });
    await put('c', 2, null);
    await projection.caughtUp();
    expect(projection.get('a')).toEqual({ version: 2, value: { name: 'second' } });
    expect([...projection.values()].map(({ id }) => id).sort()).toEqual(['a', 'b']);
    expect([projection.size, projection.problem()]).toEqual([2, null]);
    expect(projection.find('name', 'second')?.id).toBe('a');
    expect([projection.find('name', 'first'), projection.find('name', 'gone')]).toEqual([undefined, undefined]);
    expect(() => projection.find('colour', 'red')).toThrow('no index colour');
    await projection.stop();
  });

  it('does not restore a removed id', async () => {
    const projection = await follow();
    await put('a', 3, null);
    await put('a', 2, { name: 'late' });
    await projection.caughtUp();
    expect(projection.get('a')).toBeUndefined();
    expect(await projection.waitFor('a', 3, 0)).toBe(true);
    await projection.stop();
  });

  it('waits for a version, also for one that removes the id, until the timeout', async () => {
    const projection = await follow();
    const waited = projection.waitFor('a', 2, 5000);
    const vanished = projection.waitFor('b', 1, 5000);
    await put('a', 1, { name: 'x' });
    expect(await projection.waitFor('a', 2, 50)).toBe(false);
    await put('a', 2, { name: 'y' });
    await put('b', 1, null);
    expect([await waited, await vanished]).toEqual([true, true]);
    await projection.stop();
  });

  it('calls its listeners once for every change', async () => {
    const projection = await follow();
    const heard: unknown[] = [];
    projection.onChange((...change) => heard.push(change));
    await put('a', 1, { name: 'x' });
    await put('a', 1, { name: 'x' });
    await put('a', 2, null);
    await projection.caughtUp();
    expect(heard).toEqual([
      ['a', { name: 'x' }, 1],
      ['a', null, 2],
    ]);
    await projection.stop();
  });

  it.each([
    ['is not JSON', '{'],
    ['names another id than its key', JSON.stringify({ v: 1, id: 'b', version: 1, value: {} })],
    ['has a format that this release does not know', JSON.stringify({ v: 2, id: 'a', version: 1, value: {} })],
    ['has no version', JSON.stringify({ v: 1, id: 'a', version: 0, value: {} })],
    ['has no value', JSON.stringify({ v: 1, id: 'a', version: 1 })],
  ])('is blocked and says why if a message %s', async (problem, value) => {
    const projection = await follow();
    await eventLog.append([{ topic: 'agents', key: 'a', value }]);
    await put('z', 1, { name: 'after it' });
    const deadline = Date.now() + 5000;
    while (!(projection.problem() ?? '').includes(problem)) {
      if (Date.now() > deadline) throw new Error(`it says ${String(projection.problem())}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(projection.problem()).toContain('agents/0/0');
    expect(projection.get('z')).toBeUndefined();
    await projection.stop();
  });
});
