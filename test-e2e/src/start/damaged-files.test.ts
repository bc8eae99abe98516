import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countersign } from '../instance/command.js';
import { Instance } from '../instance/instance.js';

describe('an instance whose files are damaged', () => {
  let stopped: Instance;
  beforeAll(async () => {
    stopped = await Instance.start();
    // Twice what a sum can hold: it saturates alike wherever it is stored or recounted.
    for (const estimatedCost of [1e308, 5, 1e308]) {
      expect((await stopped.check({ type: 'pay', estimatedCost })).text).toBe('{"allowed":true}');
    }
    await stopped.stop();
  }, 90_000);
  afterAll(() => stopped.discard());

  it('was clean before', async () => {
    const { code, stdout } = await countersign(['fsck'], { COUNTERSIGN_DATA_DIR: stopped.dataDir });
    expect([code, stdout.match(/^ {2}!! .*$/gm)]).toEqual([0, null]);
  }, 60_000);

  it.each([
    ['log.db'],
    ['localnet/ledger.db'],
    ['anchoring/authority.json'],
    ['policy/policy.sqlite'],
    ['verification/public-facts.db'],
  ])(
    'reports %s in one line, leaves it unchanged, and ends with 1',
    async (name) => {
      const dataDir = join(stopped.dataDir, '..', 'damaged');
      rmSync(dataDir, { recursive: true, force: true });
      cpSync(stopped.dataDir, dataDir, { recursive: true });
      const file = join(dataDir, name);
      const damaged = readFileSync(file).fill('x', 0, 128);
      writeFileSync(file, damaged);
      const { code, stderr } = await countersign(['start'], {
        COUNTERSIGN_DATA_DIR: dataDir,
        COUNTERSIGN_PORT: '0',
        COUNTERSIGN_LOG_LEVEL: 'fatal',
      });
      expect([code, stderr.includes(file), stderr.trim().split('\n').length]).toEqual([1, true, 1]);
      expect(readFileSync(file).equals(damaged)).toBe(true);
    },
    60_000,
  );
});
