import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { torture } from './torture.js';

describe('SIGKILL at random times under load', () => {
  it('loses no answered check, records none that was refused, and leaves everything consistent', async () => {
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
});
