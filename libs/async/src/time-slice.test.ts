import { runInSlices, TimeSlice } from './time-slice.js';

function work(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

function* steps(count: number, ms: number): Generator<undefined, number, undefined> {
  for (let done = 0; done < count; done += 1) {
    work(ms);
    yield;
  }
  return count;
}

describe('TimeSlice', () => {
  it('lets other callers run while long work lasts', async () => {
    let others = 0;
    const timer = setInterval(() => (others += 1), 1);
    expect(await runInSlices(steps(20, 6))).toBe(20);
    clearInterval(timer);
    expect(others).toBeGreaterThan(10);
  });

  it('keeps the thread while the work is short', async () => {
    let other = false;
    setImmediate(() => (other = true));
    expect(await runInSlices(steps(3, 0))).toBe(3);
    expect(other).toBe(false);
  });

  it('begins again after other callers have run', async () => {
    const slice = new TimeSlice();
    expect(slice.over).toBe(false);
    work(6);
    expect(slice.over).toBe(true);
    await slice.next();
    expect(slice.over).toBe(false);
  });

  it('throws what a step throws', async () => {
    function* failing(): Generator<undefined, number, undefined> {
      yield;
      throw new Error('no');
    }
    await expect(runInSlices(failing())).rejects.toThrow('no');
  });
});
