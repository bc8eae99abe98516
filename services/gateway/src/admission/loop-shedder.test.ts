import { LoopShedder } from './loop-shedder.js';

/** A loop whose ticks bring a number of requests with a cost of each when it is admitted, and when it is refused. */
class Loop {
  nowMs = 0;
  ticks = 0;
  readonly #ends: (() => void)[] = [];
  readonly watched = new LoopShedder({
    longMs: 100,
    now: () => this.nowMs,
    afterTick: (then) => void this.#ends.push(then),
  });

  /** Returns the number of admitted ones. */
  tick(requests: number, takenMs: number, refusedMs = 0.02): number {
    let taken = 0;
    for (let i = 0; i < requests; i += 1) {
      const isTaken = this.watched.enter() >= 0;
      if (isTaken) taken += 1;
      this.nowMs += isTaken ? takenMs : refusedMs;
    }
    for (const end of this.#ends.splice(0)) end();
    this.ticks += 1;
    return taken;
  }

  /** Ticks as long as the last one's arrivals make them, until `untilMs`. */
  arrivals(perMs: number, untilMs: number, takenMs: number): { readonly taken: number; readonly longestMs: number } {
    let taken = 0;
    let longestMs = 0;
    let due = 1;
    while (this.nowMs < untilMs) {
      const begunAt = this.nowMs;
      taken += this.tick(Math.max(1, Math.round(due)), takenMs);
      const lasted = this.nowMs - begunAt;
      longestMs = Math.max(longestMs, lasted);
      due = lasted * perMs;
    }
    return { taken, longestMs };
  }
}

const STALL_MS = 160;

describe('the event-loop shedder', () => {
  it('admits all while ticks are short, however many come', () => {
    const loop = new Loop();
    for (let i = 0; i < 1000; i += 1) expect(loop.tick(256, 0.1)).toBe(256);
    expect(loop.watched.pressed).toBe(false);
  });

  it('admits all after a stall, and the backlog of it', () => {
    const loop = new Loop();
    for (const ms of [STALL_MS, 130, 105, 80, 60, 20]) expect(loop.tick(1000, ms / 1000)).toBe(1000);
    expect(loop.watched.pressed).toBe(false);
  });

  it('admits all where long ticks are isolated', () => {
    const loop = new Loop();
    for (let i = 0; i < 20; i += 1) {
      expect(loop.tick(1000, STALL_MS / 1000)).toBe(1000);
      loop.nowMs += 1000;
    }
    expect(loop.watched.pressed).toBe(false);
  });

  it('admits no more when one tick was longer than any stall, and keeps ticks short from then on', () => {
    const loop = new Loop();
    expect(loop.tick(8000, 0.1)).toBeLessThan(3010);
    expect(loop.watched.pressed).toBe(true);
  });

  it('admits the few that come to a process that hardly runs', () => {
    const loop = new Loop();
    for (let i = 0; i < 20; i += 1) expect(loop.tick(50, 10)).toBe(50);
    expect(loop.watched.pressed).toBe(false);
  });

  it('keeps ticks short once they were long for a while: the rest is refused, and a part always admitted', () => {
    const loop = new Loop();
    // 30 per millisecond, three times the capacity; a tick brings no more than there are connections.
    while (!loop.watched.pressed) loop.tick(4000, 0.1);
    expect(loop.nowMs).toBeLessThan(400);
    loop.arrivals(30, loop.nowMs + 500, 0.1);
    const begunAt = loop.nowMs;
    const { taken, longestMs } = loop.arrivals(30, begunAt + 2000, 0.1);
    expect(longestMs).toBeLessThan(10);
    // All the time that refusals leave: 30 per millisecond take 0.6 of it, each admitted one 0.08 more.
    expect(taken / 2000).toBeGreaterThan(2.5);
  });

  it('admits all again after a second without a refusal', () => {
    const loop = new Loop();
    while (!loop.watched.pressed) loop.tick(4000, 0.1);
    loop.arrivals(30, loop.nowMs + 500, 0.1);
    const begunAt = loop.nowMs;
    const quiet = loop.arrivals(5, begunAt + 3000, 0.1);
    expect(loop.watched.pressed).toBe(false);
    expect(quiet.longestMs).toBeLessThan(100);
    expect(loop.tick(256, 0.1)).toBe(256);
  });

  it('admits all at once after a pause of a second', () => {
    const loop = new Loop();
    while (!loop.watched.pressed) loop.tick(4000, 0.1);
    loop.arrivals(30, loop.nowMs + 500, 0.1);
    expect(loop.watched.pressed).toBe(true);
    loop.nowMs += 1100;
    for (let i = 0; i < 10; i += 1) expect(loop.tick(64, 0.2)).toBe(64);
  });

  it('sheds a backlog first, before checks get their part again', () => {
    const loop = new Loop();
    while (!loop.watched.pressed) loop.tick(4000, 0.1);
    const begunAt = loop.nowMs;
    // 12 per millisecond: refusing them takes 0.72 of the time, so that a quarter for checks would let the backlog
    // stay.
    const crowd = 4000;
    let lasted = 0;
    for (let due = crowd; loop.nowMs < begunAt + 900; due = Math.min(crowd, Math.round(lasted * 12))) {
      const at = loop.nowMs;
      loop.tick(Math.max(1, due), 0.1, 0.06);
      lasted = loop.nowMs - at;
    }
    expect(lasted).toBeLessThan(60);
  });

  it('keeps a quarter of the time for checks even where refusals alone are too much', () => {
    const loop = new Loop();
    while (!loop.watched.pressed) loop.tick(4000, 0.1);
    const begunAt = loop.nowMs;
    let taken = 0;
    for (let i = 0; i < 200; i += 1) taken += loop.tick(2000, 0.1, 0.05);
    expect((taken * 0.1) / (loop.nowMs - begunAt)).toBeGreaterThan(0.2);
  });
});
