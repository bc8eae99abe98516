import { BackgroundLoop } from './background-loop.js';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('BackgroundLoop', () => {
  it('waits for the pause that the work returns, and is called at once when poked', async () => {
    let calls = 0;
    const pauses = [5, 10_000];
    const loop = new BackgroundLoop(
      async () => pauses[calls++] ?? 10_000,
      () => 0,
    );
    loop.start(5);
    await sleep(60);
    expect(calls).toBe(2);
    loop.poke();
    await sleep(20);
    expect(calls).toBe(3);
    await loop.stop();
  });

  it('makes one call at a time, and one more for all pokes during a call', async () => {
    let running = 0;
    let most = 0;
    let calls = 0;
    const loop = new BackgroundLoop(
      async () => {
        calls += 1;
        most = Math.max(most, (running += 1));
        await sleep(10);
        running -= 1;
        return 10_000;
      },
      () => 0,
    );
    for (let n = 0; n < 5; n += 1) loop.poke();
    await sleep(60);
    expect({ calls, most }).toEqual({ calls: 2, most: 1 });
    await loop.stop();
  });

  it('goes on after a failure, which it reports', async () => {
    let calls = 0;
    const failures: unknown[] = [];
    const loop = new BackgroundLoop(
      async () => {
        calls += 1;
        if (calls === 1) throw new Error('first');
        return 10_000;
      },
      (error) => {
        failures.push(error);
        return 5;
      },
    );
    loop.poke();
    await sleep(60);
    expect(calls).toBe(2);
    expect(failures).toEqual([new Error('first')]);
    await loop.stop();
  });

  it('resolves stop when the call that is running has ended, reports no failure then, and makes no further call', async () => {
    let calls = 0;
    let ended = false;
    const failures: unknown[] = [];
    const loop = new BackgroundLoop(
      async () => {
        calls += 1;
        await sleep(20);
        ended = true;
        throw new Error('stopped');
      },
      (error) => failures.push(error),
    );
    loop.poke();
    loop.poke();
    await loop.stop();
    expect(ended).toBe(true);
    loop.poke();
    loop.start(0);
    await sleep(20);
    expect({ calls, failures }).toEqual({ calls: 1, failures: [] });
  });
});
