import { setTimeout as sleep } from 'node:timers/promises';
import { openFaultSession } from '../faults/fault-session.js';
import { answeredBeforeSync, type AnsweredRequest } from '../faults/file-calls.js';
import { fsck } from '../instance/fsck.js';
import { eventually } from '../instance/request.js';
import { isRecorded, startLoad } from '../torture/load.js';
import { differences, listEvents } from '../torture/recorded.js';
import { EVER, Scratch } from './scratch.js';

describe('a power loss', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.discard());

  it('loses no answered check, whatever part of the unsynced writes had reached the disk', async () => {
    const faults = openFaultSession(scratch.dataDir);
    let instance = await scratch.start({ env: faults.env });
    const session = await instance.session();
    for (const [round, kept] of [0, 0.5].entries()) {
      const load = startLoad(instance, { name: `loss-${round}` });
      await sleep(1200);
      await instance.kill();
      const attempts = await load.stop();
      faults.dropUnsynced({ keep: (_path, unsynced) => Math.floor(unsynced * kept) });
      instance = await scratch.start({ env: faults.env });
      expect(attempts.filter(isRecorded).length).toBeGreaterThan(10);
      await eventually('the list follows the log', 30, async () => {
        const left = differences(attempts, await listEvents(instance, session, EVER));
        return left.length === 0 ? true : null;
      });
    }
    expect((await instance.stop()).code).toBe(0);
    const { code, lines } = await fsck(scratch.dataDir);
    expect([lines, code]).toEqual([[], 0]);
  }, 120_000);

  it('cannot occur between an answer and the sync before it', async () => {
    const faults = openFaultSession(scratch.dataDir);
    const instance = await scratch.start({ env: faults.env });
    const answered: AnsweredRequest[] = [];
    for (let n = 0; n < 30; n += 1) {
      const sentNs = process.hrtime.bigint();
      const { status } = await instance.check({ type: 'tool_use', tool_name: 'crm.lookup' });
      expect(status).toBe(200);
      answered.push({ id: String(n), sentNs, answeredNs: process.hrtime.bigint() });
    }
    await instance.kill();
    expect(answeredBeforeSync(answered, faults.calls(), 'log.db-wal')).toEqual([]);
  }, 60_000);
});
