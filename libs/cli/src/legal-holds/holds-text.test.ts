import type { LegalHoldRecord } from '@countersign/contracts';
import { holdsText, placedText } from './holds-text.js';

const ana = { id: 'u', email: 'ana@example.com' };
const at = '2026-03-01T09:30:00.000Z';
const hold: LegalHoldRecord = {
  ...{ id: 'h1', name: 'Case\u001b[2J 1', reason: 'counsel asked', agents: null, from: null, to: null },
  ...{ state: 'in_force', placedAt: at, placedBy: ana, released: null },
};

it('lists holds with what they keep, who placed and released them, and why', () => {
  const released = { at, by: { id: 'v', email: 'ben@example.com' }, reason: 'settled' };
  const text = holdsText(
    [hold, { ...hold, id: 'h2', agents: ['a', 'b'], from: at, to: at, state: 'released', released }],
    3,
  );
  expect(text.split('\n')).toEqual([
    'h1  in force  Case\\u001b[2J 1  everything of the account',
    `  placed ${at} by ana@example.com: counsel asked`,
    `h2  released  Case\\u001b[2J 1  agents a, b from ${at} to ${at}`,
    `  placed ${at} by ana@example.com: counsel asked`,
    `  released ${at} by ben@example.com: settled`,
    'and 1 older ones',
    '',
  ]);
  expect(holdsText([], 0)).toBe('no legal holds\n');
});

it('says where an erasure may still be carried out', () => {
  expect(placedText(hold)).toBe('h1  in force  Case\\u001b[2J 1\n');
  expect(placedText({ ...hold, state: 'settling' })).toContain('may still be carried out');
});
