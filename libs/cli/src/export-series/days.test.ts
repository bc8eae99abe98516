import { daysOf } from './days.js';

const NOW = Date.parse('2027-03-01T00:00:00.000Z');
const EPOCH = '1970-01-01T00:00:00.000Z';

describe('the days of a series', () => {
  it('are those of a quarter, in UTC', () => {
    expect(daysOf({ quarter: '2026Q4', from: EPOCH }, NOW)).toEqual({
      from: '2026-10-01T00:00:00.000Z',
      to: '2027-01-01T00:00:00.000Z',
      name: '2026Q4',
    });
    expect(daysOf({ quarter: '2026-q1', from: EPOCH }, NOW)).toMatchObject({ to: '2026-04-01T00:00:00.000Z' });
  });

  it('are dates without times, the last one included', () => {
    expect(daysOf({ from: '2026-10-01', to: '2026-12-31' }, NOW)).toMatchObject({
      from: '2026-10-01T00:00:00.000Z',
      to: '2027-01-01T00:00:00.000Z',
    });
    expect(daysOf({ from: '2026-02-28', to: '2026-02-28' }, NOW)).toMatchObject({ to: '2026-03-01T00:00:00.000Z' });
  });

  it('end now where the time is not over', () => {
    expect(daysOf({ quarter: '2027Q1', from: EPOCH }, NOW)?.to).toBe('2027-03-01T00:00:00.000Z');
  });

  it('are none where times are given: one package is meant', () => {
    expect(daysOf({ from: EPOCH }, NOW)).toBeNull();
    expect(daysOf({ from: '2026-10-01T00:00:00Z', to: '2026-10-02T00:00:00Z' }, NOW)).toBeNull();
  });

  it.each([
    { quarter: '2026Q5', from: EPOCH },
    { quarter: '2026', from: EPOCH },
    { quarter: '2026Q4', from: '2026-10-01' },
    { quarter: '2028Q1', from: EPOCH },
    { from: '2026-10-01' },
    { from: '2026-10-01', to: '2026-12-31T00:00:00Z' },
    { from: '2026-12-31', to: '2026-10-01' },
    { from: '2026-02-30', to: '2026-03-01' },
  ])('are refused with what to do: %j', (given) => {
    expect(() => daysOf(given, NOW)).toThrow(expect.objectContaining({ exitCode: 64 }));
  });
});
