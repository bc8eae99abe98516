import { Semaphore } from './semaphore.js';

describe('Semaphore', () => {
  it('runs as many tasks as it has permits, the rest in order, also after one that throws', async () => {
    const semaphore = new Semaphore(2);
    const started: number[] = [];
    const ends: ((error?: Error) => void)[] = [];
    const task = (n: number) =>
      semaphore.run(
        () =>
          new Promise<number>((resolve, reject) => {
            started.push(n);
            ends.push((error) => (error === undefined ? resolve(n) : reject(error)));
          }),
      );
    const results = [1, 2, 3, 4].map((n) => task(n));
    await new Promise(setImmediate);
    expect(started).toEqual([1, 2]);
    expect({ free: semaphore.free, waiting: semaphore.waiting }).toEqual({ free: 0, waiting: 2 });
    ends[0]!(new Error('refused'));
    await expect(results[0]).rejects.toThrow('refused');
    expect(started).toEqual([1, 2, 3]);
    ends[1]!();
    ends[2]!();
    expect(await Promise.all(results.slice(1, 3))).toEqual([2, 3]);
    ends[3]!();
    expect(await results[3]).toBe(4);
    expect({ free: semaphore.free, waiting: semaphore.waiting }).toEqual({ free: 2, waiting: 0 });
  });
});
