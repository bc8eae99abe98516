import { eventFilter, NoSuchTime } from './event-filter.js';

const page = { limit: 50, offset: 0 };

describe('eventFilter', () => {
  it('leaves out what was not asked', () => {
    expect(eventFilter(page)).toEqual({});
  });

  it('reads times of any zone and ids of any case', () => {
    const query = { ...page, agentId: 'ABCDEF00-0000-4000-8000-000000000000', from: '2026-03-01T10:00:00+02:00' };
    expect(eventFilter(query)).toEqual({
      agentId: 'abcdef00-0000-4000-8000-000000000000',
      fromMs: Date.parse('2026-03-01T08:00:00.000Z'),
    });
  });

  it('puts a bound between two milliseconds at the later one', () => {
    expect(eventFilter({ ...page, to: '2026-03-01T08:00:00.0010001Z' }).toMs).toBe(
      Date.parse('2026-03-01T08:00:00.002Z'),
    );
    expect(eventFilter({ ...page, to: '2026-03-01T08:00:00.001000Z' }).toMs).toBe(
      Date.parse('2026-03-01T08:00:00.001Z'),
    );
  });

  it.each(['2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-00T00:00:00Z', '2026-01-01T25:00:00Z'])(
    'refuses %s, which no calendar has',
    (from) => {
      expect(() => eventFilter({ ...page, from })).toThrow(NoSuchTime);
    },
  );
});
