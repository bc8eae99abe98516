import { MOST_TESTS, TestAllowance } from './test-allowance.js';

const NOW = 1_790_000_000_000;

describe('the limit of test messages', () => {
  it('is ten in any minute', () => {
    const allowance = new TestAllowance();
    for (let n = 0; n < MOST_TESTS; n += 1) expect(allowance.take('a', NOW + n * 1000)).toBe(0);
    expect(allowance.take('a', NOW + 10_000)).toBe(50_000);
    expect(allowance.take('a', NOW + 59_999)).toBe(1);
    expect(allowance.take('a', NOW + 60_000)).toBe(0);
    // The second was a second later.
    expect(allowance.take('a', NOW + 60_000)).toBe(1000);
  });

  it('is each account’s own', () => {
    const allowance = new TestAllowance();
    for (let n = 0; n < MOST_TESTS; n += 1) allowance.take('a', NOW);
    expect(allowance.take('a', NOW)).toBe(60_000);
    expect(allowance.take('b', NOW)).toBe(0);
  });

  it('is released after a minute', () => {
    const allowance = new TestAllowance();
    for (let n = 0; n < 100; n += 1) allowance.take(`account ${n}`, NOW + n);
    allowance.take('account 0', NOW + 200);
    expect(allowance.size).toBe(100);
    allowance.take('late', NOW + 60_150);
    expect(allowance.size).toBe(2);
  });
});
