import { InProcessCounters } from './in-process-counters.js';
import { ReplayCounts } from './replay-counts.js';
import type { ReplayedCheck } from './replay-counts.js';

const DAY = Date.UTC(2026, 2, 1);
const check = (over: Partial<ReplayedCheck> = {}): ReplayedCheck => ({
  violation: null,
  costMicros: 0,
  spending: null,
  rate: null,
  observe: false,
  freezeOnViolation: false,
  ...over,
});

describe('replayed counts', () => {
  it('judge as counters do whose clock shows the same times', async () => {
    let now = DAY;
    const counters = new InProcessCounters({ clock: { now: () => now, notBefore: () => undefined } });
    await counters.serve();
    const replayed = new ReplayCounts();
    for (let n = 0; n < 400; n += 1) {
      now += (n * 7919) % 900_000;
      const one = check({
        costMicros: (n % 7) * 100_000,
        spending: { limitMicros: 5_000_000, window: n % 3 === 0 ? 'month' : 'day' },
        rate: n % 5 === 0 ? null : { max: 4, per_seconds: 3600 },
        observe: n % 11 === 0,
      });
      const trip = {
        ...one,
        accountId: 'a',
        agentId: 'b',
        apiKeyId: 'c',
        versions: { account: 1, apiKey: 1, agent: 1 },
        plan: { plan: 'scale', actionCap: null, sandboxExpiresAtMs: null },
        profileVersion: 1,
        frozen: false,
        idempotency: null,
        entropy: '',
        actionSalt: '',
        payloadSalt: null,
      } as const;
      const result = counters.checkNow(trip);
      const { outcome, violation, costMicros, countsRate } = replayed.check(one, now);
      expect(result).toMatchObject({ kind: 'judged', judgement: { outcome, violation, costMicros, countsRate } });
    }
  });

  it('start with what was counted', () => {
    const counts = new ReplayCounts();
    counts.count({ costMicros: 900_000, countsRate: true }, DAY);
    const spending = { limitMicros: 1_000_000, window: 'day' } as const;
    expect(counts.check(check({ spending, costMicros: 100_001 }), DAY + 1).violation?.detail).toBe(
      'limit 1 USD per day, 0.9 USD already counted',
    );
    expect(counts.check(check({ spending, costMicros: 100_000 }), DAY + 2).outcome).toBe('allowed');
    const rate = { max: 1, per_seconds: 10 };
    expect(counts.check(check({ rate }), DAY + 9_999).outcome).toBe('denied');
    expect(counts.check(check({ rate }), DAY + 10_000).outcome).toBe('allowed');
  });
});
