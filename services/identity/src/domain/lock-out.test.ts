import { lockedByOthers, lockedUntil, normalEmail, normalIp, WINDOW_MS } from './lock-out.js';

const T = Date.UTC(2026, 2, 1);
/** Newest first, a second apart. */
const failures = (n: number): number[] => Array.from({ length: n }, (_, i) => T - i * 1000);

describe('the lock-out', () => {
  it('allows the tenth attempt and refuses the eleventh', () => {
    expect(lockedUntil(failures(9), 10, T)).toBeNull();
    expect(lockedUntil(failures(10), 10, T)).toBe(T - 9000 + WINDOW_MS);
  });

  it('ends when the decisive failure is 15 minutes old', () => {
    const end = T - 9000 + WINDOW_MS;
    expect(lockedUntil(failures(10), 10, end - 1)).toBe(end);
    expect(lockedUntil(failures(10), 10, end)).toBeNull();
  });
});

describe('the lock-out of an attempt that has been counted', () => {
  it('allows the tenth, and neither of two concurrent ones that came tenth and eleventh', () => {
    expect(lockedByOthers(failures(10), T, 10, T)).toBeNull();
    const [tenth, eleventh] = [T + 1, T + 2];
    const both = [eleventh, tenth, ...failures(9)];
    expect(lockedByOthers(both, tenth, 10, T)).toBe(T - 8000 + WINDOW_MS);
    expect(lockedByOthers(both, eleventh, 10, T)).toBe(T - 8000 + WINDOW_MS);
    expect(lockedByOthers([tenth, ...failures(9)], tenth, 10, T)).toBeNull();
  });

  it('refuses an attempt that later ones have pushed out of the list', () => {
    expect(lockedByOthers(failures(11), T - 60_000, 10, T)).toBe(T - 9000 + WINDOW_MS);
  });
});

describe('normal forms', () => {
  it('compares addresses case-insensitively, and IPv4-mapped IPv6 as IPv4', () => {
    expect(normalEmail(' Ann@Example.COM ')).toBe('ann@example.com');
    expect(normalIp('::ffff:10.0.0.1')).toBe('10.0.0.1');
    expect(normalIp('2001:db8::1')).toBe('2001:db8::1');
  });
});
