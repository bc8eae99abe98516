import { setTimeout as sleep } from 'node:timers/promises';
import { openFaultSession } from '../faults/fault-session.js';
import { fsck } from '../instance/fsck.js';
import { startLoad } from '../torture/load.js';
import { differences, listEvents } from '../torture/recorded.js';
import { EVER, Scratch } from './scratch.js';

/** Calls until the condition holds, for two minutes at most. */
async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1200; tries += 1) {
    if (await holds()) return;
    await sleep(100);
  }
  throw new Error(`not within two minutes: ${what}`);
}

describe('when the log cannot be moved into its file beside the commits', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.discard());

  it('nothing is allowed any more until a restart, which finds everything in order', async () => {
    const faults = openFaultSession(scratch.dataDir);
    const broken = await scratch.start({ env: faults.env });
    const session = await broken.session();
    const load = startLoad(broken, { name: 'checkpoint' });
    // Commits sync the write-ahead log alone: this concerns nothing but checkpoints.
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
