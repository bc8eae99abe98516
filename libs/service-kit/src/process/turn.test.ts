import { inTurns, Turn } from './turn.js';

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

describe('turns of a thread', () => {
  it('are given to others while there is much to do', async () => {
    let others = 0;
    const timer = setInterval(() => (others += 1), 1);
    expect(await inTurns(steps(20, 6))).toBe(20);
    clearInterval(timer);
    expect(others).toBeGreaterThan(10);
  });

  it('are kept while there is little', async () => {
    let other = false;
    setImmediate(() => (other = true));
    expect(await inTurns(steps(3, 0))).toBe(3);
    expect(other).toBe(false);
  });

  it('begin anew after others had theirs', async () => {
    const turn = new Turn();
    expect(turn.over).toBe(false);
    work(6);
    expect(turn.over).toBe(true);
    await turn.next();
    expect(turn.over).toBe(false);
  });

  it('do not swallow what a step throws', async () => {
    function* failing(): Generator<undefined, number, undefined> {
      yield;
      throw new Error('no');
    }
    await expect(inTurns(failing())).rejects.toThrow('no');
  });
});
