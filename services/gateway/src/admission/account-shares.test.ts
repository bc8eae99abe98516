import { AccountShares } from './account-shares.js';

describe('shares of accounts', () => {
  let nowMs = 0;
  const shares = (): AccountShares => {
    nowMs = 1000;
    return new AccountShares(() => nowMs);
  };

  it('owe a lone account nothing: no other delays it', () => {
    const alone = shares();
    for (let i = 0; i < 1000; i += 1) {
      expect(alone.owed('a')).toBe(false);
      alone.took('a');
    }
  });

  it('owe an account its checks while another sends a flood, up to half of an equal part', () => {
    const flooded = shares();
    for (let i = 0; i < 1000; i += 1) flooded.took('flood');
    expect(flooded.owed('flood')).toBe(false);
    let taken = 0;
    while (flooded.owed('small')) {
      flooded.took('small');
      taken += 1;
      expect(taken).toBeLessThan(1000);
    }
    // A quarter of 1,000, and of those admitted in addition to them.
    expect(taken).toBeGreaterThanOrEqual(250);
    expect(taken).toBeLessThan(400);
    expect(flooded.owed('flood')).toBe(false);
    expect(flooded.busiest(1)[0]).toMatchObject({ accountId: 'flood' });
  });

  it('forget what is longer ago than a second', () => {
    const flooded = shares();
    for (let i = 0; i < 1000; i += 1) flooded.took('flood');
    flooded.owed('small');
    nowMs += 500;
    expect(flooded.owed('small')).toBe(true);
    nowMs += 1000;
    expect(flooded.owed('small')).toBe(false);
  });
});
