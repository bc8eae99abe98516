import { openFaultSession } from '../faults/fault-session.js';
import { fsck } from '../instance/fsck.js';
import { eventually } from '../instance/request.js';
import { listEvents } from '../torture/recorded.js';
import { EVER, Scratch } from './scratch.js';

const DEADLINE_MS = 400;
const CHECKS = 8;

describe('a disk that is slower than the deadline of a check', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.discard());

  it('makes checks fail near their deadline, and each is reported as unanswered afterwards', async () => {
    const faults = openFaultSession(scratch.dataDir);
    const env = { ...faults.env, COUNTERSIGN_CHECK_DEADLINE_MS: String(DEADLINE_MS) };
    const instance = await scratch.start({ env });
    const session = await instance.session();
    expect((await instance.check({ type: 'http_call' })).status).toBe(200);

    faults.inject({ delayFsyncMs: 1500, match: 'log.db-wal' });
    const refused = await Promise.all(
      Array.from({ length: CHECKS }, async () => {
        const began = performance.now();
        const answer = await instance.check({ type: 'http_call' });
        return { ...answer, ms: performance.now() - began };
      }),
    );
    faults.clear();
    for (const { status, json, headers, ms } of refused) {
      expect([status, json]).toMatchObject([503, { allowed: false, code: 'deadline_exceeded', severity: 'P1' }]);
      expect(headers['retry-after']).toMatch(/^\d+$/);
      expect(headers['x-event-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(ms).toBeGreaterThan(DEADLINE_MS - 50);
      expect(ms).toBeLessThan(DEADLINE_MS + 500);
    }

    const ids = refused.map(({ headers }) => headers['x-event-id'] as string);
    await eventually('each is reported as unanswered', 30, async () => {
      const listed = await listEvents(instance, session, EVER);
      const reported = listed.filter(({ type }) => type === 'action.unanswered').map(({ refersTo }) => refersTo);
      return ids.every((id) => reported.filter((one) => one === id).length === 1) ? true : null;
    });
    await eventually('checks are answered again', 30, async () => {
      const { status } = await instance.check({ type: 'http_call' });
      return status === 200 ? true : null;
    });
    expect((await instance.stop()).code).toBe(0);
    const { code, lines } = await fsck(scratch.dataDir);
    expect([lines, code]).toEqual([[], 0]);
  }, 90_000);
});
