import { boundsOf, boundsOfDay, coveragePlace, placeQuery } from './coverage-place.js';

const place = (query: string) => coveragePlace(new URLSearchParams(query));

describe('the address of the screen of coverage', () => {
  it('gives the same place again, and leaves out what it cannot have', () => {
    const query = 'framework=hipaa&range=custom&from=2026-03-01T00%3A00Z&to=2026-03-02T00%3A00Z&by=agent';
    const found = place(query);
    const again = Object.entries(placeQuery(found)).filter((entry): entry is [string, string] => entry[1] !== null);
    expect(coveragePlace(new URLSearchParams(again))).toEqual(found);
    expect(place('framework=iso&range=year&from=x&to=&by=control&agent=1')).toEqual({
      ...{ framework: 'soc2', range: 'week', from: null, to: null, agent: null, by: 'day' },
    });
  });

  it('has bounds that the API takes, once both are given', () => {
    expect(boundsOf(place('range=custom&from=2026-03-01T00:00Z'), 0)).toBeNull();
    expect(boundsOf(place('range=custom&from=2026-03-01T00:00Z&to=2026-03-02T00:00:01.5Z'), 0)).toEqual({
      from: '2026-03-01T00:00:00Z',
      to: '2026-03-02T00:00:01.5Z',
    });
    const now = Date.parse('2026-03-08T12:00:00Z');
    expect(boundsOf(place(''), now)).toEqual({ from: '2026-03-01T12:00:00.000Z', to: '2026-03-08T12:00:00.000Z' });
  });

  it('cuts a day to the range', () => {
    const range = { from: '2026-03-01T12:00:00.000Z', to: '2026-03-03T09:00:00.000Z' };
    expect(boundsOfDay(range, '2026-03-01')).toEqual({ from: range.from, to: '2026-03-02T00:00:00.000Z' });
    expect(boundsOfDay(range, '2026-03-02')).toEqual({
      from: '2026-03-02T00:00:00.000Z',
      to: '2026-03-03T00:00:00.000Z',
    });
    expect(boundsOfDay(range, '2026-03-03')).toEqual({ from: '2026-03-03T00:00:00.000Z', to: range.to });
  });
});
