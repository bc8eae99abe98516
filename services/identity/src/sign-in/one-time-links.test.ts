import { OneTimeLinks } from './one-time-links.js';

describe('links that sign in once', () => {
  it('open one session of their user, within 15 minutes', () => {
    let now = 1_000_000;
    const links = new OneTimeLinks(() => now);
    const [first, second, late] = [links.issue('a'), links.issue('b'), links.issue('c')];
    expect(first).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect([links.take(second), links.take(second), links.take(first)]).toEqual(['b', null, 'a']);
    expect(links.take('A'.repeat(43))).toBeNull();
    now += 15 * 60 * 1000;
    expect(links.take(late)).toBeNull();
  });

  it('are at most 100: a further one ends the oldest', () => {
    const links = new OneTimeLinks(() => 0);
    const tokens = Array.from({ length: 101 }, (_, n) => links.issue(String(n)));
    expect([links.take(tokens[0]!), links.take(tokens[1]!), links.take(tokens[100]!)]).toEqual([null, '1', '100']);
  });
});
