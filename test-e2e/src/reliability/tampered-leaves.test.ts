import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openClockSession } from '../faults/clock-session.js';
import { fsck } from '../instance/fsck.js';
import { eventually, send } from '../instance/request.js';
import { listEvents } from '../torture/recorded.js';
import { EVER, Scratch } from './scratch.js';

const WINDOW_S = 3600;

/** Of the first agent: the trail of the account has a sequence of its own. */
const ITS = 'agent_n = (SELECT n FROM agents WHERE id = ?)';

/** Alters the hash of the first leaf of an agent in the anchoring store of a stopped instance. */
function alterFirstLeaf(dataDir: string, agentId: string): void {
  const database = new Database(join(dataDir, 'anchoring/anchors.db'));
  const { changes } = database
    .prepare(`UPDATE arrivals SET hash = zeroblob(32) WHERE sequence = 1 AND ${ITS}`)
    .run(agentId);
  expect(changes).toBe(1);
  database.close();
}

describe('a stored leaf that was altered', () => {
  let scratch: Scratch;
  beforeEach(() => {
    scratch = new Scratch();
  });
  afterEach(() => scratch.discard());

  it('before its window was closed is never anchored: the anchorer refuses and reports it', async () => {
    const clock = openClockSession(scratch.folder);
    const env = {
      ...clock.env,
      COUNTERSIGN_ANCHOR_WINDOW_SECONDS: String(WINDOW_S),
      COUNTERSIGN_PORT: String(20_000 + (process.pid % 20_000)),
    };
    const first = await scratch.start({ env });
    const session = await first.session();
    for (let n = 0; n < 5; n += 1) expect((await first.check({ type: 'http_call' })).status).toBe(200);
    await eventually('events are listed', 30, async () =>
      (await listEvents(first, session, EVER)).length >= 6 ? true : null,
    );
    expect((await first.stop()).code).toBe(0);
    alterFirstLeaf(scratch.dataDir, first.bootstrap.agentId);
    expect((await fsck(scratch.dataDir)).lines).toContainEqual(
      expect.stringMatching(/^anchored leaves: .* sequence 1 .*the hash of its arrival is not the one of the log/),
    );

    clock.step(WINDOW_S * 1000);
    const second = await scratch.start({ env, wait: false });
    await eventually('the anchorer refuses', 60, async () =>
      /stored leaf .* is not what was taken/.test(second.output) ? true : null,
    );
    await sleep(1500);
    expect(second.child.exitCode).toBeNull();
    expect((await send(first.bootstrap.baseUrl, 'GET', '/readyz', {})).status).toBe(503);
    await second.kill();
    const { lines, windows } = await fsck(scratch.dataDir);
    expect(windows.anchored).toBe(0);
    expect(lines).toContainEqual(expect.stringMatching(/^anchored leaves: .* sequence 1 /));
  }, 150_000);

  it('after its window was closed and before it was anchored is never anchored; later windows are', async () => {
    const first = await scratch.start({ env: { SOLANA_RPC_URL: 'http://127.0.0.1:9' } });
    const session = await first.session();
    for (let n = 0; n < 5; n += 1) expect((await first.check({ type: 'http_call' })).status).toBe(200);
    const closed = (): boolean => {
      const database = new Database(join(scratch.dataDir, 'anchoring/anchors.db'), { readonly: true });
      const count = database.prepare("SELECT count(*) FROM windows WHERE state = 'closed' AND swept = 1").pluck().get();
      const left = database.prepare('SELECT count(*) FROM arrivals').pluck().get();
      database.close();
      return Number(count) > 0 && left === 0;
    };
    await eventually('the windows are closed', 30, async () => (closed() ? true : null));
    expect((await first.stop()).code).toBe(0);
    const database = new Database(join(scratch.dataDir, 'anchoring/anchors.db'));
    const altered = database
      .prepare(`UPDATE segments SET hashes = zeroblob(length(hashes)) WHERE first_sequence = 1 AND ${ITS}`)
      .run(first.bootstrap.agentId);
    expect(altered.changes).toBe(1);
    database.close();

    // The embedded network is up now, so pending windows can be anchored.
    const second = await scratch.start();
    await eventually('the window is held back', 30, async () =>
      /"id":"window:1-1"/.test(second.output) ? true : null,
    );
    expect((await second.check({ type: 'http_call' })).status).toBe(200);
    const events = await eventually('the last window is anchored', 30, async () => {
      const listed = await listEvents(second, session, EVER);
      return listed[0]!.anchored ? listed : null;
    });
    const { agentId } = first.bootstrap;
    const held = events.find((event) => event.agentId === agentId && event.sequence === 1);
    expect(held?.anchored).toBe(false);
    await second.stop();
    const { lines } = await fsck(scratch.dataDir);
    expect(lines).toContainEqual(expect.stringMatching(/^anchored leaves: .* sequence 1 .*is not the one of the log/));
    expect(lines).toContainEqual(expect.stringMatching(/^trees: .* windows 1-1: the root of agent/));
  }, 120_000);
});
