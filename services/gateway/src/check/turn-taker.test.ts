import { TurnTaker } from './turn-taker.js';

const wanted = (): boolean => false;
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('work that is done beside everything else', () => {
  it('takes one turn of one task in each turn of the event loop, by turns', async () => {
    const taker = new TurnTaker();
    const seen: string[] = [];
    function* work(name: string, turns: number): Generator<undefined, string, undefined> {
      for (let n = 1; n < turns; n += 1) {
        seen.push(`${name}${n}`);
        yield;
      }
      seen.push(`${name}${turns}`);
      return name;
    }
    const done: string[] = [];
    for (const [name, turns] of [
      ['a', 3],
      ['b', 1],
      ['c', 2],
    ] as const) {
      taker.take(work(name, turns), wanted, (value) => done.push(value), fail);
    }
    expect([seen, taker.size]).toEqual([[], 3]);
    const counts: number[] = [];
    while (taker.size > 0) {
      await nextTurn();
      counts.push(seen.length);
    }
    expect(seen).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    expect(done).toEqual(['b', 'c', 'a']);
    for (const [index, count] of counts.entries()) expect(count - (counts[index - 1] ?? 0)).toBeLessThanOrEqual(1);
  });

  it('drops what nobody wants any more', async () => {
    const taker = new TurnTaker();
    let turns = 0;
    function* work(): Generator<undefined, void, undefined> {
      for (;;) {
        turns += 1;
        yield;
      }
    }
    taker.take(work(), () => turns === 5, fail, fail);
    while (taker.size > 0) await nextTurn();
    expect(turns).toBe(5);
  });

  it('tells what the work or its end throws, and goes on with the others', async () => {
    const taker = new TurnTaker();
    const errors: unknown[] = [];
    let others = 0;

    function* broken(): Generator<undefined, void, undefined> {
      throw new Error('broken');
    }

    function* whole(): Generator<undefined, number, undefined> {
      return 1;
    }
    const noted = (error: unknown): void => void errors.push((error as Error).message);
    taker.take(broken(), wanted, fail, noted);
    const end = (): void => {
      throw new Error('its end');
    };
    taker.take(whole(), wanted, end, noted);
    taker.take(whole(), wanted, (value) => (others += value), fail);
    while (taker.size > 0) await nextTurn();
    expect([errors, others]).toEqual([['broken', 'its end'], 1]);
  });
});

function fail(): never {
  throw new Error('called');
}
