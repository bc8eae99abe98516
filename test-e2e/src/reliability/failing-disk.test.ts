import { setTimeout as sleep } from 'node:timers/promises';
import { openFaultSession, type Faults } from '../faults/fault-session.js';
import { fsck } from '../instance/fsck.js';
import { eventually } from '../instance/request.js';
import { startLoad } from '../torture/load.js';
import { differences, listEvents } from '../torture/recorded.js';
import { allAnchored } from './anchors.js';
import { EVER, Scratch } from './scratch.js';

const FAILURES: readonly (readonly [string, Faults])[] = [
  ['a sync of the log fails with EIO', { fsync: 'EIO', match: 'log.db', times: 1 }],
];

describe.each(FAILURES)('when %s', (_title, failure) => {
  const scratch = new Scratch();
  afterAll(() => scratch.discard());

  it('nothing is allowed until a restart, which finds everything in order', async () => {
    const faults = openFaultSession(scratch.dataDir);
    const broken = await scratch.start({ env: faults.env });
    const session = await broken.session();
    const load = startLoad(broken, { name: 'disk' });
    await sleep(500);
    faults.inject(failure);
    await eventually('a check is refused', 30, async () =>
      load.attempts.some(({ status }) => status === 503) ? true : null,
    );
    // The disk has recovered; the log has not, until it was reopened and checked.
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

describe('if no space is left', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.discard());

  it('nothing is allowed until there is space, which is detected without a restart', async () => {
    const faults = openFaultSession(scratch.dataDir);
    const instance = await scratch.start({ env: faults.env });
    const session = await instance.session();
    const load = startLoad(instance, { name: 'full' });
    await sleep(500);
    // Affects every store: log, archive, policy, anchoring, the ledger.
    faults.inject({ write: 'ENOSPC' });
    await eventually('a check is refused', 30, async () =>
      load.attempts.some(({ status }) => status === 503) ? true : null,
    );
    // It retries while the disk is full, and keeps refusing.
    await sleep(2500);
    const { status, json } = await instance.request('GET', '/readyz');
    expect([status, JSON.stringify(json)]).toEqual([503, expect.stringContaining('it goes on once there is room')]);
    expect((await instance.check({ type: 'http_call' })).status).toBe(503);
    faults.clear();
    await eventually('checks are answered again', 30, async () =>
      (await instance.check({ type: 'http_call' })).status === 200 ? true : null,
    );
    const attempts = await load.stop();
    expect(attempts.some(({ status: last }) => last === 200)).toBe(true);
    await eventually('it is ready', 30, async () =>
      (await instance.request('GET', '/readyz')).status === 200 ? true : null,
    );
    await eventually('the list follows the log', 30, async () => {
      const left = differences(attempts, await listEvents(instance, session, EVER));
      return left.length === 0 ? true : null;
    });
    await allAnchored(instance, session, 60);
    const figures = (await instance.request('GET', '/metrics')).text;
    expect(figures).toMatch(/^countersign_data_free_bytes [1-9]/mu);
    expect((await instance.stop()).code).toBe(0);
    const { code, lines } = await fsck(scratch.dataDir);
    expect([lines, code]).toEqual([[], 0]);
  }, 180_000);
});
