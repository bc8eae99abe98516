import { RunningExports, type RunningExport } from './running-exports.js';

const SLOW_MS = 30_000;
const REFUSED = expect.objectContaining({ status: 503, message: expect.stringContaining('too many exports') });

describe('exports under way', () => {
  let now: number;
  let running: RunningExports;
  let cut: string[];
  beforeEach(() => {
    now = 1000;
    cut = [];
    running = new RunningExports(() => now);
  });
  const begin = (accountId: string, name = accountId): RunningExport => running.begin(accountId, () => cut.push(name));
  const fill = (...accounts: readonly string[]): readonly RunningExport[] =>
    accounts.flatMap((account) => Array.from({ length: 4 }, (_, n) => begin(account, `${account}${n}`)));

  it('are four of an account at most, and sixteen of all; what ended once makes room once', () => {
    const [first] = fill('a');
    expect(() => begin('a')).toThrow(REFUSED);
    first!.end();
    first!.end();
    begin('a');
    expect(() => begin('a')).toThrow(REFUSED);
    fill('b', 'c', 'd');
    expect(() => begin('e')).toThrow(REFUSED);
    expect(cut).toEqual([]);
  });

  it('give up the place of the slowest reader to an account that has fewer', () => {
    const all = fill('a', 'b', 'c', 'd');
    for (const [n, one] of all.entries()) {
      now += 1;
      // The one in the middle takes its pieces.
      one.waits();
      if (n === 5) one.works();
    }
    now += SLOW_MS - all.length;
    expect(() => begin('e')).toThrow(REFUSED);
    now += 2;
    begin('e');
    expect(cut).toEqual(['a0']);
    // Its own end makes no more room.
    all[0]!.end();
    now += SLOW_MS;
    begin('e');
    begin('e');
    // Those of `a` are as few now as it would have.
    expect(cut).toEqual(['a0', 'a1', 'b0']);
    expect(() => begin('b')).toThrow(REFUSED);
  });

  it('take no place from an account that has no more than the one that asks', () => {
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].flatMap((account) => [begin(account), begin(account)]);
    for (const one of all) one.waits();
    now += 10 * SLOW_MS;
    begin('z');
    expect(cut).toHaveLength(1);
    expect(() => begin('z')).toThrow(REFUSED);
  });
});
