import { Deadlines } from './deadlines.js';
import type { Timed } from './deadlines.js';

describe('Deadlines', () => {
  it('expires what is not over by its deadline, in order, and nothing else', async () => {
    let now = 0;
    const expired: number[] = [];
    const deadlines = new Deadlines(() => now);
    const timed = (id: number, deadlineAt: number, over = false): Timed => ({
      deadlineAt,
      over,
      expire: () => expired.push(id),
    });
    deadlines.add(timed(1, 10));
    deadlines.add(timed(2, 10, true));
    deadlines.add(timed(3, 20));
    deadlines.add(timed(4, 1000));
    now = 25;
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(expired).toEqual([1, 3]);
    now = 1000;
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(expired).toEqual([1, 3, 4]);
    deadlines.stop();
  });
});
