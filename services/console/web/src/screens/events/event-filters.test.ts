import fc from 'fast-check';
import type { EventRecord } from '@countersign/contracts';
import { hrefOf, placeOf } from '../../location.js';
import {
  activeFilters,
  apiFilters,
  countedRange,
  filtersOf,
  isCounted,
  matches,
  queryOf,
  RANGES,
  withoutFilter,
} from './event-filters.js';

const AGENT = '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77';
const read = (text: string) => filtersOf(new URLSearchParams(text));

describe('the filters of events', () => {
  it('stand in the address and are read from it again', () => {
    for (const text of [
      '',
      `agent=${AGENT}&outcome=denied&violation=unsafe_output&type=action.checked&range=day`,
      `rule=${encodeURIComponent('limits:a&b=c')}`,
      `kind=account&by=${AGENT}&outcome=failed&type=account.sign_in`,
      'range=custom&from=2026-01-02T03%3A04Z&to=2026-01-03T00%3A00%3A00.123Z',
    ]) {
      const filters = read(text);
      const { query } = placeOf(hrefOf('/events', queryOf(filters)));
      expect(filtersOf(query)).toEqual(filters);
    }
  });

  it('leave out what no filter has', () => {
    const none = read('');
    expect(read('agent=x&outcome=Denied&violation=__proto__&type=constructor&range=year&from=yesterday&to=1')).toEqual(
      none,
    );
    expect(activeFilters(none)).toEqual([]);
    expect(read(`agent=${AGENT.toUpperCase()}`).agent).toBe(AGENT);
    const other = read(`kind=account&agent=${AGENT}&type=action.checked&violation=rule_denied`);
    expect(other).toEqual({ ...none, kind: 'account' });
  });

  it('become parameters of the API, which end where the list ends', () => {
    const end = '2026-03-02T00:00:00.000Z';
    const openedAt = Date.parse(end);
    expect(apiFilters(read(`agent=${AGENT}&outcome=denied&range=day`), openedAt, end)).toEqual({
      kind: 'agents',
      agentId: AGENT,
      outcome: 'denied',
      from: '2026-03-01T00:00:00.000Z',
      to: end,
    });
    const custom = read('range=custom&from=2026-01-02T03:04Z&to=2026-01-03T00:00Z');
    const bounds = { kind: 'agents', from: '2026-01-02T03:04:00Z', to: '2026-01-03T00:00:00Z' };
    expect(apiFilters(custom, openedAt, end)).toEqual(bounds);
    expect(apiFilters(custom, openedAt, null)).toEqual(bounds);
    expect(apiFilters({ ...custom, to: '2027-01-01T00:00Z' }, openedAt, end)['to']).toBe(end);
    expect(apiFilters(read('from=2026-01-02T03:04Z'), openedAt, null)).toEqual({ kind: 'agents' });
    expect(apiFilters(read(`kind=account&by=${AGENT}`), openedAt, null)).toEqual({ kind: 'account', by: AGENT });
  });

  it('let an event of the feed through as the API would', () => {
    const event = {
      ...{ eventId: 'e', agentId: AGENT, type: 'action.checked', outcome: 'denied', violation_type: 'unsafe_output' },
      rule: 'limits:hour',
      occurredAt: '2026-01-02T03:04:00.000Z',
    } as EventRecord;
    const openedAt = Date.parse('2026-01-02T12:00:00Z');
    for (const [text, is] of [
      ['', true],
      ['kind=account', false],
      [`agent=${AGENT}&outcome=denied&violation=unsafe_output&type=action.checked&range=day`, true],
      ['outcome=allowed', false],
      ['violation=rule_denied', false],
      ['rule=limits:hour', true],
      ['rule=limits', false],
      ['type=agent.frozen', false],
      [`agent=${AGENT.replace('0b', '0c')}`, false],
      ['range=hour', false],
      ['range=custom&from=2026-01-02T03:04Z', true],
      ['range=custom&to=2026-01-02T03:04Z', false],
      ['range=custom&from=2026-01-02T03:05Z', false],
    ] as const) {
      expect([text, matches(read(text), openedAt, event)]).toEqual([text, is]);
    }
    const done = {
      ...event,
      ...{ agentId: AGENT.replace('-4', '-8'), type: 'account.sign_in', outcome: 'failed', detail: 'unknown' },
      action: { user: { id: AGENT } },
    } as unknown as EventRecord;
    for (const [text, is] of [
      ['', false],
      ['kind=account', true],
      [`kind=account&by=${AGENT}&outcome=failed&type=account.sign_in`, true],
      [`kind=account&by=${AGENT.replace('0b', '0c')}`, false],
    ] as const)
      expect([text, matches(read(text), openedAt, done)]).toEqual([text, is]);
  });

  it('are counted in at most 1,500 whole steps from where the list begins', () => {
    const at = fc.integer({ min: Date.parse('2026-01-01T00:00:00Z'), max: Date.parse('2027-01-01T00:00:00Z') });
    fc.assert(
      fc.property(fc.constantFrom(...RANGES), at, fc.integer({ min: 1, max: 5_000 }), (range, openedAt, hours) => {
        const from = new Date(openedAt - hours * 3_600_000).toISOString().replace(/:\d{2}\.\d{3}/, '');
        const filters = read(new URLSearchParams({ range, from }).toString());
        const counted = countedRange(filters, openedAt);
        const begin = apiFilters(filters, openedAt, null)['from'];
        if (range !== 'all') expect(counted.from).toBe(Date.parse(begin!));
        expect(openedAt - counted.from).toBeGreaterThanOrEqual(0);
        if (range !== 'all' && range !== 'custom') expect(counted.from % (counted.step * 1000)).toBe(0);
        // The server rounds both ends to whole steps.
        expect((openedAt - counted.from) / (counted.step * 1000) + 2).toBeLessThanOrEqual(1500);
      }),
    );
    expect([isCounted(read('')), isCounted(read('rule=x'))]).toEqual([true, false]);
  });

  it('are dropped one by one', () => {
    const filters = read(`agent=${AGENT}&outcome=denied&range=custom&from=2026-01-02T03:04Z`);
    expect(activeFilters(filters)).toEqual(['agent', 'outcome', 'range']);
    const left = withoutFilter(withoutFilter(filters, 'range'), 'agent');
    expect([left.from, activeFilters(left)]).toEqual([null, ['outcome']]);
  });
});
