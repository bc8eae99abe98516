import fc from 'fast-check';
import { AddressAllowance, placeOf } from './address-allowance.js';

const MINUTE = 60_000;

describe('what an address may take', () => {
  it('is the whole allowance at once, and then as much as has come back', () => {
    let now = 1000;
    const allowance = new AddressAllowance(60, () => now);
    for (let i = 0; i < 60; i += 1) expect(allowance.take('a', 1)).toBe(0);
    expect(allowance.take('a', 1)).toBeCloseTo(1000);
    expect(allowance.take('a', 6)).toBeCloseTo(6000);
    now += 999;
    expect(allowance.take('a', 1)).toBeCloseTo(1);
    now += 1;
    expect(allowance.take('a', 1)).toBe(0);
    expect(allowance.take('a', 1)).toBeGreaterThan(0);
    now += 10 * MINUTE;
    for (let i = 0; i < 10; i += 1) expect(allowance.take('a', 6)).toBe(0);
    expect(allowance.take('a', 1)).toBeGreaterThan(0);
  });

  it('is each address’s own', () => {
    const allowance = new AddressAllowance(1, () => 0);
    expect(allowance.take('192.0.2.1', 1)).toBe(0);
    expect(allowance.take('192.0.2.1', 1)).toBe(MINUTE);
    expect(allowance.take('192.0.2.2', 1)).toBe(0);
    expect(allowance.take('2001:db8::1', 1)).toBe(0);
    expect(allowance.take('2001:db8::2', 1)).toBe(MINUTE);
    expect(allowance.take('2001:db8:0:1::2', 1)).toBe(0);
  });

  it('lets a request that costs more than there ever is take all of it', () => {
    const allowance = new AddressAllowance(2, () => 0);
    expect(allowance.take('a', 6)).toBe(0);
    expect(allowance.take('a', 1)).toBeGreaterThan(0);
  });

  it('never exceeds a whole one plus what has refilled, and no request waits longer than announced', () => {
    const asked = fc.array(fc.record({ after: fc.nat(5000), cost: fc.integer({ min: 1, max: 9 }) }), { minLength: 1 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), asked, (perMinute, steps) => {
        let now = 0;
        let taken = 0;
        const allowance = new AddressAllowance(perMinute, () => now);
        for (const { after, cost } of steps) {
          now += after;
          const wanted = Math.min(cost, perMinute);
          const wait = allowance.take('a', cost);
          if (wait > 0) {
            expect(wait).toBeLessThanOrEqual(MINUTE);
            now += wait;
            expect(allowance.take('a', cost)).toBe(0);
          }
          taken += wanted;
          expect(taken).toBeLessThanOrEqual(perMinute + (perMinute * now) / MINUTE + 1e-3);
        }
      }),
    );
  });

  it('is shared by who comes beyond the addresses that are kept apart, until some are full again', () => {
    let now = 0;
    const allowance = new AddressAllowance(1, () => now, 2);
    expect(['a', 'b', 'c', 'd', 'a'].map((address) => allowance.take(address, 1) === 0)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    now = MINUTE + 1;
    expect(['d', 'e'].map((address) => allowance.take(address, 1) === 0)).toEqual([true, true]);
  });
});

describe('the place that an address stands for', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['', ''],
    ['no address', 'no address'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:0000:0000:0000:0006', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['1::3:4:5:6:192.0.2.1', '1:0:3:4::/64'],
  ])('%s is %s', (address, place) => {
    expect(placeOf(address)).toBe(place);
  });

  it('is the same for all of a /64, however they are written', () => {
    const group = fc.nat(0xffff);
    fc.assert(
      fc.property(fc.tuple(group, group, group, group), fc.ipV6(), (network, other) => {
        const plain = network.map((n) => n.toString(16));
        const wanted = `${plain.join(':')}::/64`;
        expect(placeOf(`${plain.join(':')}::`)).toBe(wanted);
        expect(placeOf(`${network.map((n) => n.toString(16).padStart(4, '0').toUpperCase()).join(':')}:0:0:0:9`)).toBe(
          wanted,
        );
        expect(placeOf(other)).toMatch(/^([0-9a-f]{1,4}:){4}:\/64$/);
      }),
    );
  });
});
