import { notJson, type RowQuestion } from '@countersign/document-store';

/** Agents in one record of a published window. */
const CHUNK = 1000;

const CADENCES: readonly RowQuestion[] = [
  [
    'cadences',
    `SELECT c.cadence FROM cadences c LEFT JOIN windows w ON w.id = c.cadence || '-' || (c.open_number - 1)
     WHERE c.last_end IS NOT w.end_ms OR c.cut_offsets IS NOT coalesce(w.offsets, '{}')
       OR (w.id IS NULL AND c.open_number <> 1)
       OR EXISTS (SELECT 1 FROM windows x WHERE x.id = c.cadence || '-' || c.open_number)`,
    'its open window does not follow the last one that was cut',
  ],
  [
    'cadences',
    `SELECT c.cadence FROM cadences c WHERE lower(hex(c.last_root)) IS NOT coalesce((SELECT root FROM windows w
       WHERE w.cadence = c.cadence AND w.state = 'closed' ORDER BY w.number DESC LIMIT 1), '')`,
    'its last root is not the one of its last closed window',
  ],
  [
    'cadences',
    `SELECT c.cadence FROM cadences c WHERE (c.opened_at IS NULL) = EXISTS (SELECT 1 FROM arrivals r
       WHERE r.cadence = c.cadence AND r.offset >= coalesce(c.cut_offsets ->> ('$."' || r.partition || '"'), 0))`,
    'it has the time of its first leaf and no leaf, or a leaf and no such time',
  ],
  [
    'windows',
    'SELECT max(id) FROM windows GROUP BY cadence, start_ms HAVING count(*) > 1',
    'another window of its duration has the same label',
  ],
  [
    'windows',
    'SELECT DISTINCT cadence FROM windows WHERE cadence NOT IN (SELECT cadence FROM cadences)',
    'its cadence is missing',
  ],
  [
    'carried',
    `SELECT stamp, agent_n FROM carried c WHERE NOT EXISTS (SELECT 1 FROM agents a WHERE a.n = c.agent_n)
       OR NOT EXISTS (SELECT 1 FROM cadences o WHERE o.cadence = c.cadence AND c.window_number <= o.open_number)`,
    'it waits for a window that is not open, or names no agent',
  ],
];

const WINDOWS: readonly RowQuestion[] = [
  notJson('windows', 'id', 'from_offsets'),
  notJson('windows', 'id', 'offsets'),
  notJson('windows', 'id', 'carried'),
  [
    'windows',
    `SELECT id FROM windows WHERE id IS NOT cadence || '-' || number OR state NOT IN ('ending', 'cut', 'closing', 'closed')
       OR EXISTS (SELECT 1 FROM json_each(from_offsets) WHERE key GLOB '*[^0-9]*')
       OR swept NOT IN (0, 1) OR published NOT IN (0, 1) OR cut_published NOT IN (0, 1)`,
    'its name or its state is unknown',
  ],
  [
    'windows',
    `SELECT id FROM windows WHERE (published = 1 AND (signature IS NULL
         OR published_chunks <> (agent_count + ${CHUNK - 1}) / ${CHUNK}))
       OR (published_chunks > 0 AND signature IS NULL)`,
    'what was published of it is not what it has',
  ],
  [
    'windows',
    `SELECT w.id FROM windows w JOIN (SELECT max(n) AS n FROM windows WHERE swept = 1 GROUP BY cadence) l ON l.n = w.n
     WHERE EXISTS (SELECT 1 FROM arrivals r WHERE r.cadence = w.cadence
       AND r.offset < coalesce(w.offsets ->> ('$."' || r.partition || '"'), 0))`,
    'it is swept and its arrivals are still there',
  ],
  [
    'window_leaves',
    `SELECT window_n, first_index FROM (SELECT window_n, first_index, coalesce(sum(length(hashes) / 32) OVER (
       PARTITION BY window_n ORDER BY first_index ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS due
       FROM window_leaves) WHERE first_index <> due`,
    'it does not begin where the leaves before it end',
  ],
  [
    'submissions',
    `SELECT s.id FROM submissions s LEFT JOIN windows w ON s.id = 'window:' || w.id AND w.state = 'closed'
       LEFT JOIN reports r ON s.id = 'report:' || r.report_id WHERE w.id IS NULL AND r.report_id IS NULL`,
    'nothing is to be anchored under its name',
  ],
  notJson('submissions', 'id', 'attempts'),
  notJson('submissions', 'id', 'landed'),
  [
    'submissions',
    `SELECT s.id FROM submissions s LEFT JOIN windows w ON s.id = 'window:' || w.id
       LEFT JOIN reports r ON s.id = 'report:' || r.report_id
     WHERE s.done NOT IN (0, 1) OR (s.done = 1) IS NOT (coalesce(w.signature, r.signature) IS NOT NULL)
       OR (s.done = 1 AND json_valid(s.landed) AND (s.landed ->> '$.signature' IS NOT coalesce(w.signature, r.signature)
         OR s.landed ->> '$.slot' IS NOT coalesce(w.slot, r.slot)))
       OR (s.done = 1 AND s.landed IS NOT NULL AND json_valid(s.attempts) AND json_array_length(s.attempts) > 0
         AND NOT EXISTS (SELECT 1 FROM json_each(s.attempts) a WHERE a.value ->> '$.signature' = s.landed ->> '$.signature'))`,
    'its transaction is not the one of its window or report',
  ],
  [
    'reports',
    'SELECT report_id FROM reports WHERE published NOT IN (0, 1) OR (published = 1 AND signature IS NULL)',
    'it was published and is not anchored',
  ],
];

/** The last leaf of an agent lies in the window that the agent is in. */
const AGENTS: readonly RowQuestion[] = [
  [
    'agents',
    `WITH last AS (SELECT agent_n, max(sequence) AS sequence, cadence, partition, offset FROM arrivals GROUP BY agent_n)
     SELECT a.id FROM agents a LEFT JOIN last l ON l.agent_n = a.n AND l.sequence = a.last_sequence
       LEFT JOIN window_agents p ON p.agent_n = a.n AND p.last_sequence = a.last_sequence
       LEFT JOIN windows w ON w.n = p.window_n
     WHERE a.cadence IS NOT coalesce(w.cadence, l.cadence) OR a.window_number IS NOT coalesce(w.number,
       (SELECT min(x.number) FROM windows x WHERE x.state <> 'closed' AND x.cadence = l.cadence
          AND l.offset < coalesce(x.offsets ->> ('$."' || l.partition || '"'), 0)),
       (SELECT c.open_number FROM cadences c WHERE c.cadence = l.cadence))`,
    'its last leaf is not in the window that it names',
  ],
];

/** Contradictions between rows of the store. */
export const QUESTIONS: readonly RowQuestion[] = [...CADENCES, ...WINDOWS, ...AGENTS];
