import type { SentRecord } from './sent-record.js';
import { ELASTIC } from './elastic.js';

const record = (eventId: string): SentRecord => ({
  ...{ eventId, eventType: 'action.checked', agentId: 'a', sequence: 1, severity: null, occurredAt: '' },
  ...{ format: 'ecs', text: '{}' },
});

it.each<[string, unknown[], string | null]>([
  ['created', [{ create: { status: 201 } }], null],
  ['there already', [{ create: { status: 409 } }], null],
  ['null', [null], '1 of 1 events were refused; the first is e0: 0 without a type'],
  ['without a result', [{ create: null }], '1 of 1 events were refused; the first is e0: 0 without a type'],
  ['of other types', [5, 'x'], '2 of 2 events were refused; the first is e0: 0 without a type'],
  [
    'a refusal',
    [{ create: { status: 400, error: { type: 'mapper_parsing_exception' } } }],
    '1 of 1 events were refused; the first is e0: 400 mapper_parsing_exception',
  ],
])('reads an item of a bulk answer that is %s', (_what, items, problem) => {
  const batch = items.map((_item, n) => record(`e${n}`));
  expect(ELASTIC.refused!(JSON.stringify({ items }), batch, {})).toBe(problem);
});
