import type { Question } from './questions.js';

/** What audit-log's own rows say of each other, beside what `archive-figures` asks of both profiles. */
export const ARCHIVE_ROWS: readonly Question[] = [
  [
    'accounts',
    `SELECT id FROM accounts WHERE acknowledged_n > (SELECT coalesce(max(n), 0) FROM events)
       OR (acknowledged_at IS NULL AND acknowledged_n <> 0)
       OR acknowledged_at NOT GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9].[0-9][0-9][0-9]Z'`,
    'what was acknowledged lies beyond its events, or has no time',
  ],
  [
    'agents',
    `SELECT a.id FROM agents a
     WHERE a.account_n IS NOT (SELECT e.account_n FROM events e WHERE e.agent_n = a.n LIMIT 1)`,
    'its account is not the one of its events',
  ],
  [
    'agents',
    'SELECT id FROM agents WHERE published_sequence > last_sequence OR published_sequence < 0',
    'a head was told beyond its last sequence',
  ],
  [
    'events',
    `SELECT e.n FROM events r JOIN classes k ON k.n = r.class_n JOIN events e ON e.event_id = r.refers_to
     WHERE k.type = 'content.erased' AND e.agent_n = r.agent_n AND e.n < r.n AND e.erased <> 1`,
    'its content was erased by an order, and its mark says otherwise',
  ],
  [
    'classes',
    `SELECT min(n) FROM classes GROUP BY type, outcome, allowed, violation_type HAVING count(*) > 1`,
    'two numbers stand for one class',
  ],
];

/** How far retention took content, by agent. */
export const RETENTION_ROWS: readonly Question[] = [
  [
    'agents',
    `SELECT a.id FROM agents a WHERE a.retained_sequence <> coalesce((SELECT max(t.sequence) FROM events r
       JOIN classes k ON k.n = r.class_n JOIN events t ON t.event_id = r.refers_to
       WHERE r.agent_n = a.n AND k.type = 'retention.applied' AND t.agent_n = r.agent_n AND t.n < r.n), 0)`,
    'its content was not taken by retention up to where it says',
  ],
];
