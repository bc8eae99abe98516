import { Deadlines } from './deadlines.js';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('Deadlines', () => {
  const timed = (id: string, deadlineAt: number) => ({ id, deadlineAt, over: false });

  it('expires what is not over by its deadline, once and in order, and nothing else', async () => {
    let now = 0;
    const expired: string[] = [];
    const deadlines = new Deadlines<ReturnType<typeof timed>>(
      (due) => expired.push(...due.map(({ id }) => id)),
      () => now,
    );
    const all = [timed('first', 10), timed('over', 10), timed('second', 20), timed('late', 1000)];
    for (const each of all) deadlines.add(each);
    all[1]!.over = true;
    await sleep(40);
    expect(expired).toEqual([]);
    now = 25;
    await sleep(40);
    expect(expired).toEqual(['first', 'second']);
    expect(deadlines.waiting.map(({ id }) => id)).toEqual(['late']);
    now = 1000;
    await sleep(40);
    expect(expired).toEqual(['first', 'second', 'late']);
    deadlines.stop();
  });

  it('expires an object with an earlier deadline than those added before it', async () => {
    const expired: string[] = [];
    const deadlines = new Deadlines<ReturnType<typeof timed>>((due) => expired.push(...due.map(({ id }) => id)));
    deadlines.add(timed('late', performance.now() + 10_000));
    deadlines.add(timed('soon', performance.now() + 5));
    await sleep(60);
    expect(expired).toEqual(['soon']);
    deadlines.stop();
  });

  it('works on after everything expired', async () => {
    const expired: string[] = [];
    const deadlines = new Deadlines<ReturnType<typeof timed>>((due) => expired.push(...due.map(({ id }) => id)));
    deadlines.add(timed('first', performance.now() + 5));
    await sleep(40);
    deadlines.add(timed('later', performance.now() + 5));
    await sleep(40);
    expect(expired).toEqual(['first', 'later']);
    deadlines.stop();
  });

  it('expires nothing once stopped', async () => {
    const expired: unknown[] = [];
    const deadlines = new Deadlines<ReturnType<typeof timed>>((due) => expired.push(...due));
    deadlines.add(timed('before', performance.now() + 10));
    deadlines.stop();
    deadlines.add(timed('after', performance.now() + 10));
    await sleep(40);
    expect(expired).toEqual([]);
  });
});
