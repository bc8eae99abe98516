import { lockedUntil, normalEmail, normalIp, WINDOW_MS } from './lock-out.js';

const T = Date.UTC(2026, 2, 1);
/** Newest first, a second apart. */
const failures = (n: number): number[] => Array.from({ length: n }, (_, i) => T - i * 1000);

describe('the lock-out', () => {
  it('lets the tenth attempt in and refuses the eleventh', () => {
    expect(lockedUntil(failures(9), 10, T)).toBeNull();
    expect(lockedUntil(failures(10), 10, T)).toBe(T - 9000 + WINDOW_MS);
  });

  it('ends when the decisive failure is 15 minutes old', () => {
    const end = T - 9000 + WINDOW_MS;
    expect(lockedUntil(failures(10), 10, end - 1)).toBe(end);
    expect(lockedUntil(failures(10), 10, end)).toBeNull();
  });
});

describe('normal forms', () => {
  it('compares addresses without case, and IPv4 as itself', () => {
    expect(normalEmail(' Ann@Example.COM ')).toBe('ann@example.com');
    expect(normalIp('::ffff:10.0.0.1')).toBe('10.0.0.1');
    expect(normalIp('2001:db8::1')).toBe('2001:db8::1');
  });
});
