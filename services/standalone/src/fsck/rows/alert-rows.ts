import { lost, notAsTold, notJson, type Question } from './questions.js';

/** What alerts' rows say of each other; asked of both profiles. */
export const ALERT_ROWS: readonly Question[] = [
  notJson('destinations', 'id', 'body'),
  notJson('threads', 'key', 'body'),
  notJson('messages', 'id', 'body'),
  ...notAsTold('destinations', 'id', 'body', {
    id: '$.id',
    account_id: '$.accountId',
    created_at: '$.createdAt',
    enabled: '$.enabled',
    revision: '$.revision',
  }),
  ...notAsTold('threads', 'key', 'body', {
    key: '$.key',
    destination_id: '$.destinationId',
    window_ends_ms: '$.windowEndsMs',
    sum_due_ms: '$.sum.dueAtMs',
  }),
  ...notAsTold('messages', 'id', 'body', {
    id: '$.id',
    destination_id: '$.destinationId',
    created_ms: '$.createdAtMs',
  }),
  [
    'messages',
    `SELECT id FROM messages WHERE json_valid(body) AND token IS NULL AND due_ms IS NOT 0
       AND due_ms IS NOT body ->> '$.dueAtMs'`,
    'it is due at another time than its body says',
  ],
  [
    'messages',
    `SELECT id FROM messages WHERE json_valid(body) AND ((body ->> '$.state' = 'waiting') IS NOT (due_ms IS NOT NULL)
       OR NOT json_valid(body ->> '$.body') OR body ->> '$.type' IS NOT (body ->> '$.body') ->> '$.type')`,
    'its state, or what it says, is not that of a message',
  ],
  [
    'threads',
    `SELECT t.key FROM threads t JOIN destinations d ON d.id = t.destination_id
     WHERE json_valid(t.body) AND json_valid(d.body) AND t.body ->> '$.accountId' IS NOT d.account_id`,
    'its account is not the one of its destination',
  ],
  [
    'messages',
    `SELECT m.id FROM messages m JOIN destinations d ON d.id = m.destination_id
     WHERE json_valid(m.body) AND m.body ->> '$.accountId' IS NOT d.account_id`,
    'its account is not the one of its destination',
  ],
];

/** On the embedded profile a destination leaves with all that is its own, in one write. */
export const ALERT_OWNERS: readonly Question[] = [
  ['seen_events', 'SELECT partition, id FROM seen_events WHERE partition <> 0', 'the topic has no such partition'],
  lost('threads', 'key', 'destination_id', 'destinations', 'id'),
  lost('messages', 'id', 'destination_id', 'destinations', 'id'),
];
