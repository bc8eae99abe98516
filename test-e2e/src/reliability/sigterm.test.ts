import { setTimeout as sleep } from 'node:timers/promises';
import { fsck } from '../instance/fsck.js';
import { eventually } from '../instance/request.js';
import { startLoad } from '../torture/load.js';
import { differences, listEvents } from '../torture/recorded.js';
import { EVER, Scratch } from './scratch.js';

describe('the end of an instance', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.discard());

  it('by SIGTERM under load is clean: every recorded check was answered', async () => {
    let instance = await scratch.start();
    const session = await instance.session();
    const load = startLoad(instance, { name: 'term' });
    await sleep(1500);
    expect(await instance.stop()).toEqual({ code: 0, signal: null });
    const attempts = await load.stop();

    instance = await scratch.start();
    const listed = await eventually('the list follows the log', 30, async () => {
      const events = await listEvents(instance, session, EVER);
      return differences(attempts, events).length === 0 ? events : null;
    });
    const answered = new Set(attempts.filter(({ status }) => status === 200).map(({ marker }) => marker));
    expect(answered.size).toBeGreaterThan(100);
    const recorded = listed.flatMap(({ action }) => action?.metadata?.marker ?? []);
    expect(recorded.filter((marker) => !answered.has(marker))).toEqual([]);
    expect((await instance.stop()).code).toBe(0);
    const { code, lines } = await fsck(scratch.dataDir);
    expect([lines, code]).toEqual([[], 0]);
  }, 90_000);

  it('is not caused by a second instance, which names the first and ends', async () => {
    const first = await scratch.start();
    const second = await scratch.start({ wait: false });
    const { code } = await second.ended;
    expect(code).not.toBe(0);
    expect(second.output).toContain(`process ${first.child.pid}`);
    expect(second.output).toContain(scratch.dataDir);
    expect((await first.check({ type: 'http_call' })).status).toBe(200);
    expect((await first.request('GET', '/readyz')).status).toBe(200);
  }, 60_000);
});
