import { columnsAmong, DEFAULT_VIEW, fitting, templateOf, viewMembers, viewOf, viewQuery } from './event-view.js';
import type { EventView } from './event-view.js';

const OWN: EventView = { columns: ['agent', 'proof'], density: 'compact' };
const queryOf = (members: Readonly<Record<string, string>>): URLSearchParams => new URLSearchParams(members);

it('the view of an address precedes that of the browser, and comes back from its own link', () => {
  expect(viewOf(queryOf({}), OWN)).toEqual({ columns: ['agent', 'proof'], density: 'compact' });
  for (const view of [DEFAULT_VIEW, { columns: [], density: 'compact' }, viewOf(queryOf({}), OWN)] as const) {
    expect(viewOf(queryOf(viewQuery(view)), OWN)).toEqual(view);
  }
  expect(viewMembers(queryOf({ ...viewQuery(DEFAULT_VIEW), outcome: 'denied' }))).toEqual(viewQuery(DEFAULT_VIEW));
});

it('what is no column or density is left out', () => {
  const odd = viewOf(queryOf({ columns: 'time,proof,__proto__,agent,proof', density: 'tiny' }), OWN);
  expect(odd).toEqual({ columns: ['agent', 'proof'], density: 'compact' });
});

it('columns for which there is no room are left out, the less important first', () => {
  const all = columnsAmong(['agent', 'action', 'reason', 'rule', 'number', 'proof']);
  expect(fitting(all, 1200, false)).toEqual(all);
  expect(fitting(all, 780, false)).toEqual(['agent', 'action', 'proof']);
  expect(fitting(all, 632, false)).toEqual(['agent', 'action']);
  expect(fitting(all, 100, false)).toEqual([]);
  expect(fitting(columnsAmong(['rule', 'number']), 632, false)).toEqual(['rule', 'number']);
  expect(fitting(all, 340, true)).toEqual(['agent', 'action']);
  expect(templateOf(['agent', 'number'], true)).toBe('24px 176px 132px minmax(80px, 1fr) 72px');
  expect(templateOf([], false)).toBe('176px 132px');
});
