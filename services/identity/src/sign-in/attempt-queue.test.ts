import { AttemptQueue } from './attempt-queue.js';

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the queue of attempts', () => {
  it('runs one at a time per address, in order, also after a failure', async () => {
    const queue = new AttemptQueue();
    const order: string[] = [];
    const attempt =
      (name: string, fails = false) =>
      async () => {
        order.push(`${name} in`);
        await tick();
        order.push(`${name} out`);
        if (fails) throw new Error(name);
      };
    const all = await Promise.allSettled([
      queue.run('a', attempt('1', true)),
      queue.run('a', attempt('2')),
      queue.run('a', attempt('3')),
    ]);
    expect(order).toEqual(['1 in', '1 out', '2 in', '2 out', '3 in', '3 out']);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  });

  it('limits concurrency over all addresses, and runs each in the end', async () => {
    const queue = new AttemptQueue();
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        queue.run(`address ${n}`, async () => {
          inside += 1;
          most = Math.max(most, inside);
          await tick();
          inside -= 1;
        }),
      ),
    );
    expect(most).toBe(2);
  });

  it('refuses attempts that would wait too long', async () => {
    const queue = new AttemptQueue();
    const all = Array.from({ length: 201 }, () => queue.run('a', tick));
    const settled = await Promise.allSettled(all);
    const rejected = settled.filter((result) => result.status === 'rejected');
    expect(rejected).toHaveLength(1);
    expect(rejected[0]!.reason).toMatchObject({ status: 429 });
    await expect(queue.run('a', tick)).resolves.toBeUndefined();
  });
});
