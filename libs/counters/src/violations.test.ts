import fc from 'fast-check';
import { dollars, rateViolation, spendingViolation } from './violations.js';

describe('violations that the counters find', () => {
  it('print micro-dollars exactly', () => {
    expect([0, 1, 1_000_000, 1_500_000, 100_000_001, Number.MAX_SAFE_INTEGER].map(dollars)).toEqual([
      '0',
      '0.000001',
      '1',
      '1.5',
      '100.000001',
      '9007199254.740991',
    ]);
    fc.assert(
      fc.property(fc.maxSafeNat(), (micros) => {
        const [whole, fraction = ''] = dollars(micros).split('.');
        return BigInt(whole ?? '') * 1_000_000n + BigInt(fraction.padEnd(6, '0')) === BigInt(micros);
      }),
    );
  });

  it('say what happened and what to do next', () => {
    const action = spendingViolation({ limitMicros: 2_000_000, window: 'action' }, 0, 2_000_001);
    expect(action.reason).toBe(
      'The action alone costs more than the spending limit of 2 USD per action: take one that costs less or ask for a higher limit.',
    );
    expect(action.detail).toBe('limit 2 USD per action, the action alone costs more');
    const month = { limitMicros: 2, window: 'month' } as const;
    expect(spendingViolation(month, 1, 2).reason).toContain('wait for the next month (UTC)');
    const never = spendingViolation(month, 0, 3);
    expect(never.reason).not.toContain('wait');
    expect(never.detail).toBe('limit 0.000002 USD per month, 0 USD already counted, the action alone costs more');
    const rate = rateViolation({ max: 5, per_seconds: 60 }, 5, 0);
    expect(rate.reason).toBe(
      'The rate limit of 5 per 60 s is reached: try again at 1970-01-01T00:00:00.000Z or ask for a higher limit.',
    );
    expect(rateViolation({ max: 0, per_seconds: 60 }, 0, null).reason).toContain('admits no check');
    expect(() => rateViolation({ max: 1, per_seconds: 1e300 }, 1, 1e303)).not.toThrow();
  });
});
