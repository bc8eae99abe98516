import { Memberships } from './memberships.js';

describe('memberships', () => {
  it('gives a partition to the first member, and to the next when the holder leaves', () => {
    const memberships = new Memberships<string>();
    expect(memberships.join('p', 'a')).toBe(true);
    expect(memberships.join('p', 'b')).toBe(false);
    expect(memberships.join('p', 'c')).toBe(false);
    expect(memberships.leave((member) => member === 'b')).toEqual([]);
    expect(memberships.leave((member) => member === 'a')).toEqual(['c']);
    expect(memberships.leave((member) => member === 'c')).toEqual([]);
    expect(memberships.join('p', 'd')).toBe(true);
  });

  it('passes on every partition of a client that has ended', () => {
    const memberships = new Memberships<string>();
    for (const partition of ['p', 'q']) {
      memberships.join(partition, `gone ${partition}`);
      memberships.join(partition, `left ${partition}`);
    }
    expect(memberships.leave((member) => member.startsWith('gone'))).toEqual(['left p', 'left q']);
  });
});
