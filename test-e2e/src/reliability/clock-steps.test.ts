import { setTimeout as sleep } from 'node:timers/promises';
import { openClockSession } from '../faults/clock-session.js';
import { fsck } from '../instance/fsck.js';
import { eventually } from '../instance/instance.js';
import { startLoad } from '../torture/load.js';
import { differences, listEvents } from '../torture/recorded.js';
import { allAnchored, listAnchors, type Anchor } from './anchors.js';
import { EVER, Scratch } from './scratch.js';

const HOUR_MS = 3_600_000;

describe('steps of the wall clock under load', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.discard());

  it('change no sealed root, let labels rise, and lose nothing', async () => {
    const clock = openClockSession(scratch.folder);
    const instance = await scratch.start({ env: clock.env });
    const session = await instance.session();
    const load = startLoad(instance, { name: 'clock', concurrency: 8 });
    const seen: (readonly Anchor[])[] = [];
    for (const offsetMs of [0, HOUR_MS, 0, -HOUR_MS, HOUR_MS + 60_000]) {
      clock.step(offsetMs);
      await sleep(2500);
      seen.push(await listAnchors(instance, session));
      expect((await instance.check({ type: 'http_call' })).status).toBe(200);
    }
    const attempts = await load.stop();
    expect(new Set(attempts.map(({ status }) => status))).toEqual(new Set([200]));
    await allAnchored(instance, session, 60);
    await eventually('the list follows the log', 30, async () => {
      const left = differences(attempts, await listEvents(instance, session, EVER));
      return left.length === 0 ? true : null;
    });

    const anchors = await listAnchors(instance, session);
    for (const before of seen) expect(anchors.slice(0, before.length)).toEqual(before);
    expect(seen[0]!.length).toBeGreaterThan(0);
    expect(anchors.length).toBeGreaterThan(seen[0]!.length);
    const ends = anchors.map(({ window_end }) => Date.parse(window_end));
    expect(ends.every((end, i) => i === 0 || end > ends[i - 1]!)).toBe(true);

    expect((await instance.stop()).code).toBe(0);
    const { code, lines, windows } = await fsck(scratch.dataDir);
    expect([lines, code]).toEqual([[], 0]);
    expect(windows.anchored).toBe(windows.closed);
  }, 150_000);
});
