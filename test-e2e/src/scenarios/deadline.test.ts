import type { Instance } from '../instance/instance.js';
import { onEachProfile } from '../instance/profiles.js';

/** Default of `COUNTERSIGN_CHECK_DEADLINE_MS`, and what a busy test machine may add to it. */
const DEFAULT_MS = 1000;
const SLACK_MS = 1500;

onEachProfile('the default deadline of a check', (start) => {
  let instance: Instance;
  beforeAll(async () => {
    instance = await start({ env: { COUNTERSIGN_CHECK_DEADLINE_MS: '' } });
  }, 90_000);
  afterAll(() => instance.discard());

  it('is met: a check is decided within it, or refused at it', async () => {
    const seen = new Map<number, number>();
    let longest = 0;
    for (let round = 0; round < 50; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const before = performance.now();
          const answer = await instance.check({ type: 'http_call', url: 'https://api.example.com/orders' });
          longest = Math.max(longest, performance.now() - before);
          return answer;
        }),
      );
      for (const { status } of answers) seen.set(status, (seen.get(status) ?? 0) + 1);
    }
    // A stall of the test machine may affect a few.
    expect([...seen.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(seen.get(200) ?? 0).toBeGreaterThan(360);
    expect(longest).toBeLessThan(DEFAULT_MS + SLACK_MS);
  }, 60_000);
});
