import { setTimeout as sleep } from 'node:timers/promises';
import { openFaultSession } from '../faults/fault-session.js';
import { fsck } from '../instance/fsck.js';
import { startLoad } from '../torture/load.js';
import { differences, listEvents } from '../torture/recorded.js';
import { EVER, Scratch } from './scratch.js';

/** Polls until the condition holds, for at most two minutes. */
async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempts = 0; attempts < 1200; attempts += 1) {
    if (await holds()) return;
    await sleep(100);
  }
  throw new Error(`not within two minutes: ${what}`);
}

describe('if a checkpoint of the log fails during commits', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.discard());

  it('nothing is allowed until a restart, which finds everything in order', async () => {
    const faults = openFaultSession(scratch.dataDir);
    const broken = await scratch.start({ env: faults.env });
    const session = await broken.session();
    const load = startLoad(broken, { name: 'checkpoint' });
    // Commits sync only the write-ahead log: this affects only checkpoints.
    faults.inject({ fsync: 'EIO', match: '/log.db$', times: 1 });
    await until('a check is refused', () => load.attempts.some(({ status }) => status === 503));
    faults.clear();
    const attempts = await load.stop();
    expect(new Set(attempts.map(({ status }) => status))).toEqual(new Set([200, 503]));
    for (let n = 0; n < 20; n += 1) {
      const { status, json } = await broken.check({ type: 'http_call' });
      expect([status, json]).toMatchObject([503, { allowed: false, code: 'unavailable' }]);
    }
    await broken.stop();
    const failed = faults.calls().filter(({ kind, errno }) => kind === 'fsync' && errno !== 0);
    expect(failed.map(({ path }) => path.endsWith('/log.db'))).toEqual([true]);
    const later = faults
      .calls()
      .filter(({ path, beganNs }) => path.endsWith('/log.db') && beganNs > failed[0]!.endedNs);
    expect(later).toEqual([]);

    const restarted = await scratch.start();
    await until('the list follows the log', async () => {
      return differences(attempts, await listEvents(restarted, session, EVER)).length === 0;
    });
    expect((await restarted.check({ type: 'http_call' })).text).toBe('{"allowed":true}');
    await restarted.stop();
    const { code, lines } = await fsck(scratch.dataDir);
    expect([lines, code]).toEqual([[], 0]);
  }, 300_000);
});
