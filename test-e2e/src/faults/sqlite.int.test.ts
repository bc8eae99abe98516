import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type FaultSession, openFaultSession } from './fault-session.js';
import { type AnsweredRequest, answeredBeforeSync } from './file-calls.js';
import { type Probe, startProbe } from './probe.js';

let folder: string;
let database: string;
let session: FaultSession;
let probe: Probe | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fault-sqlite-'));
  session = openFaultSession(join(folder, 'data'));
  database = join(folder, 'data', 'rows.db');
  const unwatched = await startProbe(database, 'FULL', {});
  await unwatched.commit(0);
  await unwatched.kill();
});

afterEach(async () => {
  await probe?.kill();
  probe = undefined;
  rmSync(folder, { recursive: true, force: true });
});

function storedNumbers(): readonly unknown[] {
  const opened = new Database(database);
  try {
    expect(opened.pragma('integrity_check', { simple: true })).toBe('ok');
    return opened.prepare('SELECT number FROM rows ORDER BY number').pluck().all();
  } finally {
    opened.close();
  }
}

function upTo(last: number): readonly number[] {
  return Array.from({ length: last + 1 }, (_, number) => number);
}

async function commitAll(target: Probe, first: number, last: number): Promise<readonly AnsweredRequest[]> {
  const answers: AnsweredRequest[] = [];
  for (let number = first; number <= last; number += 1) {
    const answer = await target.commit(number);
    if (answer === null || typeof answer === 'string') throw new Error(`row ${number}: ${answer ?? 'the probe died'}`);
    answers.push(answer);
  }
  return answers;
}

describe('power loss', () => {
  it('loses committed rows if nothing was synced: kill -9 alone does not show it', async () => {
    probe = await startProbe(database, 'OFF', session.env);
    await commitAll(probe, 1, 40);
    await probe.kill();
    const dropped = session.dropUnsynced();
    expect(dropped.writes[`${database}-wal`]).toBeGreaterThanOrEqual(40);
    expect(storedNumbers()).toEqual([0]);
  });

  it('keeps them without the drop', async () => {
    probe = await startProbe(database, 'OFF', session.env);
    await commitAll(probe, 1, 40);
    await probe.kill();
    expect(storedNumbers()).toEqual(upTo(40));
  });

  it('loses nothing that was committed with synchronous=FULL, checkpoints included', async () => {
    probe = await startProbe(database, 'FULL', session.env);
    await commitAll(probe, 1, 1500);
    await probe.kill();
    session.dropUnsynced();
    expect(storedNumbers()).toEqual(upTo(1500));
  });

  it('loses nothing acknowledged at any point of a commit, whatever part of the rest reached the disk', async () => {
    let last = 0;
    for (let round = 0; round < 24; round += 1) {
      probe = await startProbe(database, 'FULL', session.env);
      session.inject({
        kill: (['before-write', 'after-write', 'before-fsync', 'after-fsync'] as const)[round % 4] ?? 'before-write',
        skip: 3 + round,
      });
      let answer = await probe.commit(last + 1);
      while (answer !== null) {
        if (typeof answer === 'string') throw new Error(answer);
        last += 1;
        answer = await probe.commit(last + 1);
      }
      await probe.ended;
      session.clear();
      session.dropUnsynced({ keep: (_path, unsynced) => (round * 7) % (unsynced + 1) });
      const stored = storedNumbers();
      // The interrupted commit may be durable; nothing else.
      expect([last + 1, last + 2]).toContain(stored.length);
      expect(stored).toEqual(upTo(stored.length - 1));
      last = stored.length - 1;
    }
    expect(last).toBeGreaterThan(24);
  });
});

describe('injected errors', () => {
  it('surface as SQLITE_IOERR_FSYNC if a sync fails', async () => {
    probe = await startProbe(database, 'FULL', session.env);
    session.inject({ fsync: 'EIO', match: 'rows.db-wal' });
    expect(await probe.commit(1)).toBe('SQLITE_IOERR_FSYNC');
    session.clear();
    expect(await probe.commit(2)).toMatchObject({ id: '2' });
  });

  it('surface as SQLITE_FULL if no space is left', async () => {
    probe = await startProbe(database, 'FULL', session.env);
    session.inject({ write: 'ENOSPC' });
    expect(await probe.commit(1)).toBe('SQLITE_FULL');
    session.inject({ write: 'fill', match: '-wal' });
    expect(await probe.commit(1)).toBe('SQLITE_FULL');
    session.clear();
    expect(await probe.commit(1)).toMatchObject({ id: '1' });
    await probe.kill();
    expect(storedNumbers()).toEqual([0, 1]);
  });

  it('surface as SQLITE_IOERR_WRITE if a write fails', async () => {
    probe = await startProbe(database, 'FULL', session.env);
    session.inject({ write: 'EIO', times: 1 });
    expect(await probe.commit(1)).toBe('SQLITE_IOERR_WRITE');
    expect(await probe.commit(1)).toMatchObject({ id: '1' });
  });

  it('are handled by SQLite if writes are short', async () => {
    probe = await startProbe(database, 'FULL', session.env);
    session.inject({ write: 'short' });
    await commitAll(probe, 1, 5);
    await probe.kill();
    session.dropUnsynced();
    expect(storedNumbers()).toEqual(upTo(5));
    expect(session.calls().some(({ kind, bytes }) => kind === 'write' && bytes === 1)).toBe(true);
  });

  it('affect only matching files', async () => {
    probe = await startProbe(database, 'FULL', session.env);
    session.inject({ fsync: 'EIO', write: 'EIO', match: 'other.db' });
    await commitAll(probe, 1, 3);
  });
});

describe('the record of calls', () => {
  it('shows that no answer precedes its sync, and that one does without syncs', async () => {
    probe = await startProbe(database, 'FULL', session.env);
    const synced = await commitAll(probe, 1, 20);
    await probe.kill();
    expect(answeredBeforeSync(synced, session.calls(), 'rows.db-wal')).toEqual([]);

    probe = await startProbe(database, 'OFF', session.env);
    const unsynced = await commitAll(probe, 21, 40);
    expect(answeredBeforeSync(unsynced, session.calls(), 'rows.db-wal')).toEqual(unsynced.map(({ id }) => id));
  });

  it('shows the delays', async () => {
    probe = await startProbe(database, 'FULL', session.env);
    session.inject({ delayFsyncMs: 300, match: '-wal' });
    const [answer] = await commitAll(probe, 1, 1);
    if (answer === undefined) throw new Error('no answer');
    expect(answer.answeredNs - answer.sentNs).toBeGreaterThanOrEqual(300_000_000n);
    const slow = session.calls().filter(({ beganNs, endedNs }) => endedNs - beganNs >= 300_000_000n);
    expect(slow).toHaveLength(1);
    expect(slow[0]).toMatchObject({ kind: 'fsync', errno: 0, path: `${database}-wal` });
  });
});
