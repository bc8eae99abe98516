import { ChainClock } from './chain-clock.js';
import { ClockWatch } from './clock-watch.js';

const T = Date.parse('2026-03-01T10:05:00.000Z');
const DAY = 86_400_000;

function clocks() {
  const time = { wall: T, monotonic: 0 };
  const logged: string[] = [];
  const chain = new ChainClock(() => time.monotonic);
  const log = {
    warn: (facts: object, text: string) => logged.push(`${text} ${JSON.stringify(facts)}`),
    info: (text: string) => logged.push(text),
  };
  return { time, logged, chain, watch: new ClockWatch(chain, () => time.wall, log as never) };
}

describe('the time by which windows are named', () => {
  it("is the clock's while the chain has said none, and while blocks come late", () => {
    const { time, chain } = clocks();
    expect(chain.labelTime(T + 3 * DAY)).toBeNull();
    time.monotonic += 5_000;
    expect(chain.labelTime(T + 3 * DAY)).toBe(T + 3 * DAY);
    chain.saw(T - 15_000);
    expect(chain.labelTime(T)).toBe(T);
  });

  it("is the chain's while the clock is further ahead, and the clock's again once it is right", () => {
    const { time, chain } = clocks();
    chain.saw(T);
    time.monotonic += 2_000;
    expect(chain.labelTime(T + 3 * DAY)).toBe(T + 2_000);
    expect(chain.labelTime(T + 2_500)).toBe(T + 2_500);
  });

  it("is the clock's where that is behind the chain's", () => {
    const { chain } = clocks();
    chain.saw(T);
    expect(chain.labelTime(T - DAY)).toBe(T - DAY);
  });
});

describe('a clock that is or was ahead', () => {
  it('is measured against the newest event, and named once until it is over', () => {
    const { time, logged, watch } = clocks();
    watch.sawEvent(T + 3 * DAY);
    watch.sawEvent(T);
    expect(watch.aheadSeconds()).toBe(3 * 86_400);
    watch.look();
    watch.look();
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(/the newest event lies ahead .*"aheadSeconds":259200/u);
    time.wall += 3 * DAY;
    watch.look();
    expect(logged.at(-1)).toBe('no clock is ahead any more');
    expect(watch.aheadSeconds()).toBe(0);
  });

  it('is measured against the chain', () => {
    const { time, logged, chain, watch } = clocks();
    chain.saw(T);
    time.wall += DAY;
    expect(watch.aheadSeconds()).toBe(86_400);
    watch.look();
    expect(logged[0]).toMatch(/ahead of the chain's/u);
  });
});
