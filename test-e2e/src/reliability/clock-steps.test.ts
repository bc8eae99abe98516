import { setTimeout as sleep } from 'node:timers/promises';
import { openClockSession } from '../faults/clock-session.js';
import { fsck } from '../instance/fsck.js';
import { eventually } from '../instance/request.js';
import { startLoad } from '../torture/load.js';
import { differences, listEvents } from '../torture/recorded.js';
import { allAnchored, listAnchors, type Anchor } from './anchors.js';
import { EVER, Scratch } from './scratch.js';

const HOUR_MS = 3_600_000;
const STEPS = [0, HOUR_MS, 0, -HOUR_MS, HOUR_MS + 60_000];
const DAYS_MS = 72 * HOUR_MS;

describe('steps of the wall clock under load', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.discard());

  it('change no sealed root, delay no anchor, use no label twice, and lose nothing', async () => {
    const clock = openClockSession(scratch.folder);
    const instance = await scratch.start({ env: clock.env });
    const session = await instance.session();
    const load = startLoad(instance, { name: 'clock', concurrency: 8 });
    const seen: (readonly Anchor[])[] = [];
    for (const offsetMs of STEPS) {
      clock.step(offsetMs);
      await sleep(2500);
      const before = seen.at(-1)?.length ?? 0;
      const after = await eventually(`new anchors ${offsetMs / 1000} s off`, 30, async () => {
        const anchors = await listAnchors(instance, session);
        return anchors.length > before ? anchors : null;
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
    // A window cut just before the clock was set back waits until the network's time has reached its end again.
    for (const before of seen) expect(anchors).toEqual(expect.arrayContaining([...before]));
    const ends = anchors.map(({ window_end }) => Date.parse(window_end));
    expect(new Set(ends).size).toBe(ends.length);

    expect((await instance.stop()).code).toBe(0);
    const { code, lines, windows } = await fsck(scratch.dataDir);
    expect([lines, code]).toEqual([[], 0]);
    expect(windows.anchored).toBe(windows.closed);
  }, 240_000);

  it('three days ahead, once: later checks are anchored at once, and the event ahead is reported', async () => {
    const ahead = new Scratch();
    try {
      const clock = openClockSession(ahead.folder);
      clock.step(DAYS_MS);
      const first = await ahead.start({ env: clock.env });
      const session = await first.session();
      expect((await first.check({ type: 'http_call' })).status).toBe(200);
      await allAnchored(first, session, 30);
      expect((await first.stop()).code).toBe(0);

      clock.step(0);
      const second = await ahead.start({ env: clock.env });
      const again = await second.session();
      for (let n = 0; n < 5; n += 1) expect((await second.check({ type: 'http_call' })).status).toBe(200);
      await allAnchored(second, again, 30);
      const listed = await listEvents(second, again, EVER);
      expect(listed.filter(({ ahead }) => ahead).map(({ type, sequence }) => [type, sequence])).toContainEqual([
        'action.checked',
        2,
      ]);
      // The sign-in at the second start is an event as well.
      const present = listed.filter(({ ahead }) => !ahead).map(({ type }) => type);
      expect(present.filter((type) => type === 'action.checked')).toHaveLength(5);
      expect(present.length).toBeLessThan(8);
      const metrics = (await second.request('GET', '/metrics')).text;
      const seconds = Number(/^countersign_clock_ahead_seconds (\S+)$/mu.exec(metrics)?.[1]);
      expect(seconds).toBeGreaterThan(DAYS_MS / 1000 - 600);
      await eventually('the log says so', 30, async () =>
        second.output.includes("the newest event lies ahead of this machine's clock") ? true : null,
      );
      expect((await second.stop()).code).toBe(0);
      const { code, lines, notes } = await fsck(ahead.dataDir);
      expect([lines, code]).toEqual([[], 0]);
      expect(notes).toContainEqual(expect.stringMatching(/^event log: event .* s ahead of this clock$/u));
      expect(notes).toContainEqual(expect.stringMatching(/^windows: window 1-\d+ ends .*: the clock was ahead$/u));
    } finally {
      await ahead.discard();
    }
  }, 180_000);
});
