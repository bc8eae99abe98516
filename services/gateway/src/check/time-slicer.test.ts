import { TimeSlicer } from './time-slicer.js';

const wanted = (): boolean => false;
const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('long work in time slices', () => {
  it('takes one slice of one task in each event-loop tick, round-robin', async () => {
    const slicer = new TimeSlicer();
    const seen: string[] = [];
    function* work(name: string, slices: number): Generator<undefined, string, undefined> {
      for (let n = 1; n < slices; n += 1) {
        seen.push(`${name}${n}`);
        yield;
      }
      seen.push(`${name}${slices}`);
      return name;
    }
    const done: string[] = [];
    for (const [name, slices] of [
      ['a', 3],
      ['b', 1],
      ['c', 2],
    ] as const) {
      slicer.take(work(name, slices), wanted, (value) => done.push(value), fail);
    }
    expect([seen, slicer.size]).toEqual([[], 3]);
    const counts: number[] = [];
    while (slicer.size > 0) {
      await nextTick();
      counts.push(seen.length);
    }
    expect(seen).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    expect(done).toEqual(['b', 'c', 'a']);
    for (const [index, count] of counts.entries()) expect(count - (counts[index - 1] ?? 0)).toBeLessThanOrEqual(1);
  });

  it('drops tasks that are no longer wanted', async () => {
    const slicer = new TimeSlicer();
    let slices = 0;
    function* work(): Generator<undefined, void, undefined> {
      for (;;) {
        slices += 1;
        yield;
      }
    }
    slicer.take(work(), () => slices === 5, fail, fail);
    while (slicer.size > 0) await nextTick();
    expect(slices).toBe(5);
  });

  it('reports what the work or its callback throws, and continues with the others', async () => {
    const slicer = new TimeSlicer();
    const errors: unknown[] = [];
    let others = 0;

    function* broken(): Generator<undefined, void, undefined> {
      throw new Error('broken');
    }

    function* whole(): Generator<undefined, number, undefined> {
      return 1;
    }
    const noted = (error: unknown): void => void errors.push((error as Error).message);
    slicer.take(broken(), wanted, fail, noted);
    const end = (): void => {
      throw new Error('its end');
    };
    slicer.take(whole(), wanted, end, noted);
    slicer.take(whole(), wanted, (value) => (others += value), fail);
    while (slicer.size > 0) await nextTick();
    expect([errors, others]).toEqual([['broken', 'its end'], 1]);
  });
});

function fail(): never {
  throw new Error('called');
}
