import type { Offsets } from '@countersign/event-log';
import { momentsOf, type PublishedCut } from './published-cuts.js';

/** A cut of a window that ended at this second. */
function cut(cadenceSeconds: number, endSecond: number, offsets: Offsets): PublishedCut {
  const iso = (second: number): string => new Date(second * 1000).toISOString();
  return {
    kind: 'cut',
    cadenceSeconds,
    number: endSecond / cadenceSeconds,
    windowStart: iso(endSecond - cadenceSeconds),
    windowEnd: iso(endSecond),
    offsets,
    carried: [],
  };
}

const moments = (...cuts: readonly PublishedCut[]): unknown =>
  momentsOf(cuts).map((moment) => moment.cuts.map(({ cadenceSeconds, number }) => `${cadenceSeconds}-${number}`));

describe('the moments at which windows were cut', () => {
  it('follow where the log ended, in whatever order they were published', () => {
    const cuts = [cut(1, 9, { 0: 4, 1: 2 }), cut(5, 5, { 0: 3, 1: 2 }), cut(1, 4, { 0: 1 })];
    expect(moments(...cuts)).toEqual([['1-4'], ['5-1'], ['1-9']]);
  });

  it('are one where both labels had just ended', () => {
    const at = { 0: 7 };
    expect(moments(cut(5, 10, at), cut(1, 10, at))).toEqual([['5-2', '1-10']]);
    expect(moments(cut(1, 13, at), cut(5, 10, at))).toEqual([['5-2', '1-13']]);
  });

  it('are two where no event came between and the labels ended at different times', () => {
    const at = { 0: 7 };
    expect(moments(cut(1, 13, at), cut(5, 20, at))).toEqual([['1-13'], ['5-4']]);
    expect(moments(cut(1, 13, at), cut(1, 14, at))).toEqual([['1-13'], ['1-14']]);
  });

  it('tell a partition that had nothing from none', () => {
    expect(moments(cut(1, 1, { 0: 2, 1: 0 }), cut(5, 5, { 0: 2 }))).toEqual([['1-1'], ['5-1']]);
    expect(moments(cut(1, 5, { 0: 2, 1: 0 }), cut(5, 5, { 0: 2 }))).toEqual([['1-5', '5-1']]);
  });
});
