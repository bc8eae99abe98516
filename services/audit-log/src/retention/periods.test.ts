import { RETENTION_MONTHS } from '@countersign/process';
import { monthsBefore, periodOf, STANDS_AFTER_MS } from './periods.js';

const NOW = Date.parse('2032-03-31T12:30:00.000Z');
const long = new Date(NOW - STANDS_AFTER_MS).toISOString();
const lately = new Date(NOW - STANDS_AFTER_MS + 1).toISOString();

describe('how long content is kept', () => {
  it.each([
    ['nothing is known', null, 72, ['undeclared']],
    ['nothing was declared', { scope: {}, declaredAt: long }, 72, ['undeclared']],
    ['one was declared', { scope: { soc2: { categories: [] } }, declaredAt: long }, 13, ['soc2']],
    [
      'several were declared',
      { scope: { soc2: { categories: [] }, hipaa: { ephi: true }, nydfs: { coveredEntity: true } }, declaredAt: long },
      72,
      ['hipaa', 'nydfs'],
    ],
    [
      'it was declared lately',
      { scope: { soc2: { categories: [] } }, declaredAt: lately },
      72,
      ['hipaa', 'nydfs', 'undeclared'],
    ],
    ['it says no time', { scope: { soc2: { categories: [] } }, declaredAt: '' }, 72, ['hipaa', 'nydfs', 'undeclared']],
  ])('is the longest where %s', (_what, declared, months, because) => {
    expect(periodOf(declared, NOW, RETENTION_MONTHS)).toEqual({ months, because });
  });

  it.each([
    [13, '2031-02-28T12:30:00.000Z'],
    [1, '2032-02-29T12:30:00.000Z'],
    [72, '2026-03-31T12:30:00.000Z'],
    [0, '2032-03-31T12:30:00.000Z'],
  ])('%i calendar months back is a day that the calendar has', (months, day) => {
    expect(new Date(monthsBefore(NOW, months)).toISOString()).toBe(day);
  });
});
