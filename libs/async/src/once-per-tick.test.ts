import { oncePerTick } from './once-per-tick.js';

describe('oncePerTick', () => {
  it('calls the work once for all calls of a tick, and again in the next', async () => {
    let calls = 0;
    const schedule = oncePerTick(() => (calls += 1));
    schedule();
    schedule();
    expect(calls).toBe(0);
    await new Promise(setImmediate);
    expect(calls).toBe(1);
    schedule();
    await new Promise(setImmediate);
    expect(calls).toBe(2);
  });

  it('schedules a call again that the work itself makes', async () => {
    let calls = 0;
    const schedule = oncePerTick(() => {
      calls += 1;
      if (calls === 1) schedule();
    });
    schedule();
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(calls).toBe(2);
  });
});
