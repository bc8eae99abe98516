import fc from 'fast-check';
import { SlewedClock } from './slewed-clock.js';

function clocks(wall = 1_000_000) {
  const time = { wall, monotonic: 500 };
  const clock = new SlewedClock(
    () => time.wall,
    () => time.monotonic,
  );
  const pass = (ms: number) => {
    time.wall += ms;
    time.monotonic += ms;
  };
  return { time, clock, pass };
}

describe('the slewed clock', () => {
  it('follows the wall clock while that is steady', () => {
    const { time, clock, pass } = clocks();
    for (const ms of [0, 1, 250, 60_000]) {
      pass(ms);
      expect(clock.now()).toBe(time.wall);
    }
  });

  it('gives whole milliseconds', () => {
    const { clock, pass } = clocks();
    pass(1.75);
    expect(clock.now()).toBe(1_000_001);
  });

  it('jumps forward when the wall clock is more than a second ahead', () => {
    const { time, clock, pass } = clocks();
    time.wall += 1000;
    pass(10);
    expect(clock.now()).toBe(1_000_010);
    time.wall += 3_600_000;
    expect(clock.now()).toBe(time.wall);
  });

  it('runs at half speed while the wall clock is behind, until they meet', () => {
    const { time, clock, pass } = clocks();
    time.wall -= 1000;
    pass(400);
    expect(clock.now()).toBe(1_000_200);
    pass(1000);
    expect(clock.now()).toBe(1_000_700);
    pass(600);
    expect(clock.now()).toBe(1_001_000);
    expect(time.wall).toBe(1_001_000);
    pass(50);
    expect(clock.now()).toBe(time.wall);
  });

  it('does not fall behind what was recorded, unless that is more than a day ahead', () => {
    const { time, clock, pass } = clocks();
    clock.notBefore(time.wall - 5);
    expect(clock.now()).toBe(time.wall);
    clock.notBefore(time.wall + 3_600_000);
    pass(100);
    expect(clock.now()).toBe(1_000_000 + 3_600_000 + 50);
    const other = clocks();
    other.clock.notBefore(other.time.wall + 86_400_001);
    expect(other.clock.now()).toBe(other.time.wall);
  });

  it('never decreases and never stops, whatever the wall clock does', () => {
    const step = fc.record({ passed: fc.nat(10_000), wallStep: fc.integer({ min: -7_200_000, max: 7_200_000 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const { time, clock, pass } = clocks(1e9);
        let last = clock.now();
        for (const { passed, wallStep } of steps) {
          pass(passed);
          time.wall += wallStep;
          const now = clock.now();
          expect(now - last).toBeGreaterThanOrEqual(Math.floor(passed / 2));
          expect(now).toBeGreaterThanOrEqual(time.wall - 1001);
          last = now;
        }
      }),
    );
  });
});
