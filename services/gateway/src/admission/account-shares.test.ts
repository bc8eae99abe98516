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

  it('are exceeded by an account only where one with less than an equal part was refused', () => {
    const flooded = shares();
    for (let i = 0; i < 1000; i += 1) flooded.took('flood');
    expect(flooded.owed('small')).toBe(true);
    for (let i = 0; i < 800; i += 1) flooded.took('small');
    // Nothing was refused yet that had less: what is left is the flood's.
    expect(flooded.exceeds('flood')).toBe(false);
    expect(flooded.owed('small')).toBe(false);
    expect([flooded.exceeds('flood'), flooded.exceeds('small')]).toEqual([true, false]);
    let taken = 800;
    while (flooded.exceeds('flood')) {
      flooded.took('small');
      taken += 1;
    }
    expect(taken).toBe(1000);
    flooded.took('flood');
    expect(flooded.exceeds('flood')).toBe(true);
    nowMs += 1000;
    expect(flooded.exceeds('flood')).toBe(false);
  });

  it('owe three quarters of an equal part once an account was refused that had less than one', () => {
    const flooded = shares();
    for (let i = 0; i < 1000; i += 1) flooded.took('flood');
    for (let i = 0; i < 500; i += 1) flooded.took('small');
    expect([flooded.isAbove('flood'), flooded.isAbove('small')]).toEqual([true, false]);
    // Two thirds of an equal part.
    expect([flooded.owed('small'), flooded.owed('small')]).toEqual([false, true]);
  });

  it('owe nothing while all accounts send the same', () => {
    const all = ['a', 'b', 'c', 'd'];
    const equal = shares();
    for (let i = 0; i < 1000; i += 1) all.forEach((account) => equal.took(account));
    equal.took('a');
    expect(equal.owed('b')).toBe(false);
    expect(all.filter((account) => equal.owed(account))).toEqual([]);
    expect(all.filter((account) => equal.isAbove(account))).toEqual(['a']);
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
