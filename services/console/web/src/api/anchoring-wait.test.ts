import { anchoringWait } from './anchoring-wait.js';

const DUE = '2026-03-01T13:00:00.000Z';
const wait = (before: number): number => anchoringWait(DUE, Date.parse(DUE) - before);

describe('anchoringWait', () => {
  it('ends with the window, and is never longer than a minute', () => {
    expect(wait(3_600_000)).toBe(60_000);
    expect(wait(60_001)).toBe(60_000);
    expect(wait(20_000)).toBe(20_000);
    expect(wait(1)).toBe(1000);
  });

  it('is a second while the anchor is expected, and 15 s when it is late', () => {
    expect(wait(0)).toBe(1000);
    expect(wait(-29_999)).toBe(1000);
    expect(wait(-30_000)).toBe(15_000);
  });
});
