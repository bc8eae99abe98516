import { LAYOUT } from './layout.js';
import type { Store } from './open-stores.js';
import type { Check } from './report.js';

const COUNTED = `SELECT account_n, agent_n, occurred_at / 3600000 AS hour, class_n, count(*) AS count FROM events
  GROUP BY 1, 2, 3, 4 UNION ALL
  SELECT account_n, 0, occurred_at / 3600000, class_n, count(*) FROM events GROUP BY 1, 2, 3, 4`;
const KEPT = 'SELECT account_n, agent_n, hour, class_n, count FROM hours';

/** Up to which sequence retention took the content of each agent's checks. */
const RETAINED = `WITH retained AS (SELECT r.agent_n, max(t.sequence) AS through FROM events r
    JOIN classes k ON k.n = r.class_n JOIN events t ON t.event_id = r.refers_to
    WHERE k.type = 'retention.applied' AND t.agent_n = r.agent_n AND t.n < r.n GROUP BY r.agent_n)`;

/** What the archive derives from its own rows, each as a query for rows that should not be there. */
const QUESTIONS: readonly (readonly [table: string, query: string, problem: string])[] = [
  ['hours', `${KEPT} EXCEPT SELECT * FROM (${COUNTED})`, 'a count by hour is not what the events add up to'],
  ['hours', `SELECT * FROM (${COUNTED}) EXCEPT ${KEPT}`, 'a count by hour is missing'],
  [
    'agents',
    `SELECT a.id FROM agents a LEFT JOIN (SELECT agent_n, min(sequence) AS first, max(sequence) AS last, count(*) AS count
       FROM events GROUP BY agent_n) e ON e.agent_n = a.n
     WHERE a.last_sequence <> coalesce(e.last, 0) OR coalesce(e.first, 1) <> 1 OR coalesce(e.count, 0) <> coalesce(e.last, 0)`,
    'its sequences are not 1 to its last_sequence without a gap',
  ],
  [
    'agents',
    `SELECT a.id FROM agents a LEFT JOIN (SELECT agent_n, count(*) AS count FROM events e JOIN classes k ON k.n = e.class_n
       WHERE k.type = 'action.checked' GROUP BY agent_n) e ON e.agent_n = a.n WHERE a.checks <> coalesce(e.count, 0)`,
    'its number of checks is not the number of its events',
  ],
  [
    'accounts',
    `SELECT c.id FROM accounts c WHERE c.open_count <>
       (SELECT count(*) FROM events e WHERE e.account_n = c.n AND e.blocked = 1 AND e.n > c.acknowledged_n)`,
    'its open count is not the number of its blocked events',
  ],
  ['openings', 'SELECT o.n FROM openings o LEFT JOIN events e ON e.n = o.n WHERE e.n IS NULL', 'it opens no event'],
  [
    'events',
    `SELECT e.n FROM events r JOIN classes k ON k.n = r.class_n JOIN events e ON e.event_id = r.refers_to
     WHERE k.type = 'content.erased' AND e.agent_n = r.agent_n AND e.n < r.n AND e.erased = 0`,
    'its content was to be erased and is not',
  ],
  [
    'events',
    `${RETAINED} SELECT e.n FROM events e JOIN classes c ON c.n = e.class_n LEFT JOIN retained x ON x.agent_n = e.agent_n
     WHERE e.erased <> 0 AND NOT (c.type LIKE 'action.%' AND e.sequence <= coalesce(x.through, 0))
     AND NOT EXISTS (SELECT 1 FROM events r JOIN classes k ON k.n = r.class_n
       WHERE r.refers_to = e.event_id AND k.type = 'content.erased')`,
    'it is marked erased and no event says so',
  ],
  [
    'events',
    `${RETAINED} SELECT e.n FROM retained x JOIN events e ON e.agent_n = x.agent_n AND e.sequence <= x.through
     JOIN classes c ON c.n = e.class_n JOIN openings o ON o.n = e.n WHERE c.type LIKE 'action.%'`,
    'retention was to take its content and it is still there',
  ],
];

/** Counts, heads, inbox and erasures of the archive, from its own rows. */
export function checkArchiveFigures(archive: Store, check: Check): void {
  for (const [table, query, problem] of QUESTIONS) {
    check.examined += 1;
    for (const row of archive.prepare(query).raw().iterate() as IterableIterator<unknown[]>) {
      check.wrong(`${LAYOUT.archive} ${table} ${row.join(' ')}`, problem);
    }
  }
}
