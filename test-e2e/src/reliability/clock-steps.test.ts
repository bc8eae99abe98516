import { setTimeout as sleep } from 'node:timers/promises';
import { openClockSession } from '../faults/clock-session.js';
import { fsck } from '../instance/fsck.js';
import { eventually } from '../instance/request.js';
import { startLoad } from '../torture/load.js';
import { differences, listEvents } from '../torture/recorded.js';
import { allAnchored, listAnchors, type Anchor } from './anchors.js';
import { EVER, Scratch } from './scratch.js';

const HOUR_MS = 3_600_000;
const STEPS = [
  { offsetMs: 0, isAhead: true },
  { offsetMs: HOUR_MS, isAhead: true },
  { offsetMs: 0, isAhead: false },
  { offsetMs: -HOUR_MS, isAhead: false },
  { offsetMs: HOUR_MS + 60_000, isAhead: true },
];

describe('steps of the wall clock under load', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.discard());

  it('change no sealed root, let labels rise, and lose nothing', async () => {
    const clock = openClockSession(scratch.folder);
    const instance = await scratch.start({ env: clock.env });
    const session = await instance.session();
    const load = startLoad(instance, { name: 'clock', concurrency: 8 });
    const seen: (readonly Anchor[])[] = [];
    // Set back, the clock ends no window until it has passed the last label: only ahead of it must there be new anchors.
    for (const { offsetMs, isAhead } of STEPS) {
      clock.step(offsetMs);
      await sleep(2500);
      const before = seen.at(-1)?.length ?? 0;
      const after = await eventually(`new anchors ${offsetMs / 1000} s off`, 30, async () => {
        const anchors = await listAnchors(instance, session);
        return !isAhead || anchors.length > before ? anchors : null;
      });
      seen.push(after);
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
    const ends = anchors.map(({ window_end }) => Date.parse(window_end));
    expect(ends.every((end, i) => i === 0 || end > ends[i - 1]!)).toBe(true);

    expect((await instance.stop()).code).toBe(0);
    const { code, lines, windows } = await fsck(scratch.dataDir);
    expect([lines, code]).toEqual([[], 0]);
    expect(windows.anchored).toBe(windows.closed);
  }, 240_000);
});
