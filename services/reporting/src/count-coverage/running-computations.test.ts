import { HttpRefusal } from '@countersign/http-edge';
import { RUNNING } from './coverages.js';
import { RunningComputations } from './running-computations.js';

describe('computations under way', () => {
  it('are at most four of an account at a time; another account has its own', async () => {
    const running = new RunningComputations(RUNNING);
    const ends: (() => void)[] = [];
    const compute = (): Promise<void> => new Promise((end) => ends.push(end));
    const four = [1, 2, 3, 4].map(() => running.run('a', compute));
    const refused = await running.run('a', compute).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(HttpRefusal);
    expect([(refused as HttpRefusal).status, (refused as HttpRefusal).headers]).toEqual([503, { 'retry-after': '2' }]);
    const other = running.run('b', compute);
    ends[0]!();
    await four[0];
    const next = running.run('a', compute);
    for (const end of ends) end();
    await Promise.all([...four, other, next]);
  });

  it('give their place back after a failure', async () => {
    const running = new RunningComputations(RUNNING);
    for (let n = 0; n < 20; n += 1) {
      await expect(running.run('a', () => Promise.reject(new Error('no archive')))).rejects.toThrow('no archive');
    }
    await expect(running.run('a', () => Promise.resolve(1))).resolves.toBe(1);
  });

  it('are at most sixteen of all accounts', async () => {
    const running = new RunningComputations(RUNNING);
    const ends: (() => void)[] = [];
    const all = Array.from({ length: 16 }, (_, n) =>
      running.run(`account ${n}`, () => new Promise<void>((end) => ends.push(end))),
    );
    await expect(running.run('another', () => Promise.resolve())).rejects.toThrow('under way');
    for (const end of ends) end();
    await Promise.all(all);
  });
});
