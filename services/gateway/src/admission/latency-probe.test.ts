import { LatencyProbe } from './latency-probe.js';

describe('a latency probe', () => {
  let nowMs = 0;
  const probe = (): LatencyProbe => {
    nowMs = 1000;
    return new LatencyProbe(() => nowMs);
  };

  it('reports no delay while it is empty', () => {
    const empty = probe();
    empty.entered();
    nowMs += 700;
    empty.passed(700);
    expect(empty.delay(nowMs)).toBe(0);
    nowMs += 5000;
    empty.entered();
    expect(empty.delay(nowMs)).toBe(0);
  });

  it('takes as long as the last one took, or the time since the last passed', () => {
    const queue = probe();
    for (let i = 0; i < 3; i += 1) queue.entered();
    nowMs += 300;
    expect(queue.delay(nowMs)).toBe(300);
    queue.passed(300);
    expect(queue.delay(nowMs)).toBe(300);
    nowMs += 10;
    queue.passed(20);
    expect(queue.delay(nowMs)).toBe(20);
    nowMs += 400;
    expect(queue.delay(nowMs)).toBe(400);
  });

  it('takes a success as a sign of life, but not a failure', () => {
    const beside = probe();
    beside.entered();
    for (let i = 0; i < 10; i += 1) {
      nowMs += 100;
      beside.entered();
      beside.passed(5);
    }
    expect(beside.delay(nowMs)).toBe(5);
    beside.entered();
    nowMs += 600;
    beside.failed();
    expect(beside.delay(nowMs)).toBe(600);
    beside.failed();
    expect(beside.delay(nowMs)).toBe(0);
  });
});
