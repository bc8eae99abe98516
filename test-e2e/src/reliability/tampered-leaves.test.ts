import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openClockSession } from '../faults/clock-session.js';
import { fsck } from '../instance/fsck.js';
import { eventually } from '../instance/instance.js';
import { listEvents } from '../torture/recorded.js';
import { EVER, Scratch } from './scratch.js';

const WINDOW_S = 3600;

/** Alters the hash of the first leaf in anchoring's store of a stopped instance. */
function alterFirstLeaf(dataDir: string): void {
  const database = new Database(join(dataDir, 'anchoring/anchors.db'));
  const { changes } = database.prepare('UPDATE arrivals SET hash = zeroblob(32) WHERE sequence = 1').run();
  expect(changes).toBe(1);
  database.close();
}

describe('a stored leaf that was altered', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.discard());

  it('before its window was closed is never anchored: the anchorer refuses and says so', async () => {
    const clock = openClockSession(scratch.folder);
    const env = { ...clock.env, COUNTERSIGN_ANCHOR_WINDOW_SECONDS: String(WINDOW_S) };
    const first = await scratch.start({ env });
    const session = await first.session();
    for (let n = 0; n < 5; n += 1) expect((await first.check({ type: 'http_call' })).status).toBe(200);
    await eventually('events are listed', 10, async () =>
      (await listEvents(first, session, EVER)).length >= 6 ? true : null,
    );
    expect((await first.stop()).code).toBe(0);
    alterFirstLeaf(scratch.dataDir);
    expect((await fsck(scratch.dataDir)).lines).toContainEqual(
      expect.stringMatching(/^anchored leaves: .* sequence 1 .*the hash of its arrival is not the one of the log/),
    );

    clock.step(WINDOW_S * 1000);
    const second = await scratch.start({ env, wait: false });
    await eventually('the anchorer refuses', 60, async () =>
      /stored leaf .* is not what was taken/.test(second.output) ? true : null,
    );
    expect(second.child.exitCode).toBeNull();
    await sleep(1500);
    const events = await second.ready().then(
      () => listEvents(second, session, EVER),
      () => [],
    );
    expect(events.filter(({ anchored }) => anchored)).toEqual([]);
    await second.kill();
    const { lines, windows } = await fsck(scratch.dataDir);
    expect(windows.anchored).toBe(0);
    expect(lines).toContainEqual(expect.stringMatching(/^anchored leaves: .* sequence 1 /));
  }, 150_000);
});
