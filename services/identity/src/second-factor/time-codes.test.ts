import { addressOf, newSecret, stepOfCode } from './time-codes.js';

/** `12345678901234567890` of RFC 6238 appendix B, in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('time-based codes', () => {
  it.each([
    [59, '287082', 1],
    [1111111109, '081804', 37037036],
    [1111111111, '050471', 37037037],
    [1234567890, '005924', 41152263],
    [2000000000, '279037', 66666666],
    [20000000000, '353130', 666666666],
  ])('are those of RFC 6238, at %i s', (seconds, code, step) => {
    expect(stepOfCode(SECRET, code, seconds * 1000, -1)).toBe(step);
  });

  it('are accepted one step early and late, and not again', () => {
    expect([0, 29, 30, 59, 60, 89, 90].map((at) => stepOfCode(SECRET, '287082', at * 1000, -1))).toEqual([
      1,
      1,
      1,
      1,
      1,
      1,
      null,
    ]);
    expect(stepOfCode(SECRET, '287082', 59_000, 1)).toBeNull();
    expect(stepOfCode(SECRET, '287083', 59_000, -1)).toBeNull();
    expect(stepOfCode(SECRET, '２８７０８２', 59_000, -1)).toBeNull();
  });

  it('have a secret of 20 bytes, and an address for authenticators that escapes the name', () => {
    expect(newSecret()).toMatch(/^[A-Z2-7]{32}$/);
    expect(newSecret()).not.toBe(newSecret());
    const address = new URL(addressOf(SECRET, 'a?b&secret=x@example.com'));
    expect([address.protocol, address.host]).toEqual(['otpauth:', 'totp']);
    expect(decodeURIComponent(address.pathname)).toBe('/Countersign:a?b&secret=x@example.com');
    expect(Object.fromEntries(address.searchParams)).toEqual({
      issuer: 'Countersign',
      secret: SECRET,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
  });
});
