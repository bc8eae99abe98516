import { setTimeout as sleep } from 'node:timers/promises';
import { openFaultSession, type Faults } from '../faults/fault-session.js';
import { fsck } from '../instance/fsck.js';
import { eventually } from '../instance/request.js';
import { startLoad } from '../torture/load.js';
import { differences, listEvents } from '../torture/recorded.js';
import { EVER, Scratch } from './scratch.js';

const FAILURES: readonly (readonly [string, Faults])[] = [
  ['a sync of the log fails with EIO', { fsync: 'EIO', match: 'log.db', times: 1 }],
  ['no space is left for the log', { write: 'ENOSPC', match: 'log.db' }],
];

describe.each(FAILURES)('when %s', (_title, failure) => {
  const scratch = new Scratch();
  afterAll(() => scratch.discard());

  it('nothing is allowed any more until a restart, which finds everything in order', async () => {
    const faults = openFaultSession(scratch.dataDir);
    const broken = await scratch.start({ env: faults.env });
    const session = await broken.session();
    const load = startLoad(broken, { name: 'disk' });
    await sleep(500);
    faults.inject(failure);
    await eventually('a check is refused', 10, async () =>
      load.attempts.some(({ status }) => status === 503) ? true : null,
    );
    // The disk is well again; the log is not, until it was opened and checked anew.
    faults.clear();
    const attempts = await load.stop();
    const refused = attempts.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    for (const { text } of refused) expect(JSON.parse(text)).toMatchObject({ allowed: false, severity: 'P1' });
    for (let n = 0; n < 20; n += 1) {
      const { status, json } = await broken.check({ type: 'http_call' });
      expect([status, json]).toMatchObject([503, { allowed: false, code: 'unavailable' }]);
    }
    expect((await broken.request('GET', '/readyz')).status).toBe(503);
    expect((await broken.request('GET', '/healthz')).status).toBe(200);
    await broken.stop();

    const restarted = await scratch.start();
    await eventually('the list follows the log', 30, async () => {
      const left = differences(attempts, await listEvents(restarted, session, EVER));
      return left.length === 0 ? true : null;
    });
    expect((await restarted.check({ type: 'http_call' })).text).toBe('{"allowed":true}');
    await restarted.stop();
    const { code, lines } = await fsck(scratch.dataDir);
    expect([lines, code]).toEqual([[], 0]);
  }, 120_000);
});
