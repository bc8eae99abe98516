import { rmSync } from 'node:fs';
import { isInstalled } from '#infra/installed.js';
import { histories } from './histories.js';

const CHECKS = 2000;

const installed = isInstalled('kafka', 'mongo', 'redis');
const run = installed ? describe : describe.skip;
run(`random histories over two gateways with crashes${installed ? '' : ' (needs test-e2e/infra/install.sh)'}`, () => {
  const seed = Math.floor(Math.random() * 2 ** 32);

  it(`are decided again with the same verdicts and continuous balances (seed ${seed})`, async () => {
    const { answered, open, faults, totals, wrong, leftOut, problems, folder } = await histories({
      checks: CHECKS,
      seed,
    });
    expect([wrong, problems]).toEqual([[], []]);
    expect(totals).toMatchObject({ different: 0, broken: 0, erased: 0, not_checked: 0 });
    expect(totals['continuous']).toBe(totals['agents']);
    expect(totals['checks']).toBeGreaterThanOrEqual(answered);
    // Only payloads that a profile does not keep are withheld.
    expect(Object.keys(leftOut).filter((why) => why !== 'withheld (payload)')).toEqual([]);
    // A check that was counted and not recorded had no answer.
    expect(totals['missing']).toBeLessThanOrEqual(open);
    expect(faults.gateway).toBeGreaterThan(0);
    rmSync(folder, { recursive: true, force: true });
  }, 600_000);
});
