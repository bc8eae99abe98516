import type { FollowUpRecord } from '@countersign/contracts';
import { checksText, followUpsText } from './follow-ups-text.js';

const at = '2026-03-01T09:30:00.000Z';
const one: FollowUpRecord = {
  id: 'f1',
  eventId: 'e1',
  at,
  by: { kind: 'user', id: 'ana' },
  note: 'new\u001b[2J vendor',
};
const erased: FollowUpRecord = { ...one, id: 'f2', by: { kind: 'unknown', id: null }, note: null };

it('lists follow-ups with their checks, and counts those that are not listed', () => {
  expect(followUpsText([one, erased], 5).split('\n')).toEqual([
    `e1  ${at} by ana: new\\u001b[2J vendor`,
    `e1  ${at} by unknown: (the note is erased)`,
    'and 3 older ones',
    '',
  ]);
  expect(followUpsText([], 0)).toBe('no follow-ups\n');
});

it('says of each check whether it is followed up', () => {
  const checks = [
    { eventId: 'e1', count: 3, latestAt: at },
    { eventId: 'e2', count: 0, latestAt: null },
    { eventId: 'e3', count: 1, latestAt: at },
  ];
  expect(checksText(checks, [one, erased, { ...one, eventId: 'e3' }]).split('\n')).toEqual([
    'e1  3 follow-ups',
    `  ${at} by ana: new\\u001b[2J vendor`,
    `  ${at} by unknown: (the note is erased)`,
    '  and 1 older ones',
    'e2  not followed up',
    'e3  1 follow-up',
    `  ${at} by ana: new\\u001b[2J vendor`,
    '',
  ]);
});
