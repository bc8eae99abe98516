import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fsck } from '../instance/fsck.js';
import { Instance } from '../instance/instance.js';
import { startChanges } from './changes.js';
import { startLoad } from './load.js';
import { torture } from './torture.js';

describe('SIGKILL at random times under load', () => {
  it('loses no answered check, records no refused one, and leaves everything consistent', async () => {
    const result = await torture({ rounds: 5 });
    expect(result.differences).toEqual([]);
    expect(result.answered).toBeGreaterThan(100);
    expect(result.unanswered).toBeGreaterThan(0);
    expect(result.fsck.lines).toEqual([]);
    expect(result.fsck.code).toBe(0);
    expect(result.fsck.windows.anchored).toBe(result.fsck.windows.closed);
    expect(result.fsck.windows.anchored).toBeGreaterThan(1);
    rmSync(dirname(result.dataDir), { recursive: true, force: true });
  }, 240_000);

  it('leaves stores that are consistent prefixes of the log, before a restart repairs them', async () => {
    const instance = await Instance.start();
    const load = startLoad(instance, { name: 'beginning' });
    const changes = startChanges(instance, await instance.session());
    await sleep(1500);
    await instance.kill();
    await Promise.all([load.stop(), changes.stop()]);
    const { code, lines, checks } = await fsck(instance.dataDir);
    expect([lines, code]).toEqual([[], 0]);
    expect(checks.some(({ behind }) => behind > 0)).toBe(true);
    await instance.discard();
  }, 90_000);
});
