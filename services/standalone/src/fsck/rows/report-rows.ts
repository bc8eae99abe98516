import { notAsTold, notJson, type Question } from './questions.js';

/** What reporting's own rows say of each other. */
export const REPORT_ROWS: readonly Question[] = [
  notJson('reports', 'id', 'body'),
  notJson('scopes', 'account_id', 'body'),
  notJson('anchors', 'key', 'body'),
  ...notAsTold('reports', 'id', 'body', {
    id: '$.id',
    account_id: '$.facts.accountId',
    created_at: '$.facts.createdAt',
    version: '$.version',
  }),
  ...notAsTold('anchors', 'key', 'body', {
    kind: '$.kind',
    key: `iif(kind = 'report', 'report:' || (body ->> '$.reportId'), 'authority:' || (body ->> '$.address'))`,
  }),
];

const SAFE = String(Number.MAX_SAFE_INTEGER);
/** What bodies of reports may open: all of their agents' events where it was not kept. */
const OPENED = `SELECT r.id AS report_id, o.value ->> '$.agentId' AS agent_id, o.value ->> '$.first' AS first,
    o.value ->> '$.last' AS last FROM reports r, json_each(r.body, '$.opens') o
  UNION SELECT r.id, a.value, 1, ${SAFE} FROM reports r, json_each(r.body, '$.agentIds') a
    WHERE json_extract(r.body, '$.opens') IS NULL`;

/** Which events' content stored bodies open: an erasure finds them by it. */
export const OPENED_ROWS: readonly Question[] = [
  [
    'openings',
    `SELECT report_id, agent_id, first, last FROM openings EXCEPT SELECT * FROM (${OPENED})`,
    'its report does not say that it opens this',
  ],
  [
    'openings',
    `SELECT * FROM (${OPENED}) EXCEPT SELECT report_id, agent_id, first, last FROM openings`,
    'its report opens this, and it is not noted',
  ],
];

/** What verification's own rows say of each other: the columns that reports are found by. */
export const FACT_ROWS: readonly Question[] = [
  notJson('facts', "kind || ' ' || id", 'body'),
  ...notAsTold('facts', "kind || ' ' || id", 'body', {
    sha256: `iif(kind = 'report', body ->> '$.sha256', NULL)`,
    pdf_sha256: `iif(kind = 'report', body ->> '$.pdfSha256', NULL)`,
    id: `CASE kind WHEN 'authority' THEN body ->> '$.address' WHEN 'report-anchor' THEN body ->> '$.reportId' ELSE id END`,
  }),
  [
    'facts',
    'SELECT kind, id FROM facts WHERE body IS NULL AND (sha256 IS NOT NULL OR pdf_sha256 IS NOT NULL)',
    'it is gone and is still found by its hash',
  ],
  [
    'facts',
    `SELECT kind, id FROM facts WHERE kind NOT IN ('key', 'report', 'authority', 'report-anchor', 'agent', 'agent-head')`,
    'its kind is unknown',
  ],
];

/** The column that agents are found by. */
export const AGENT_FACT_ROWS: readonly Question[] = [
  ...notAsTold('facts', "kind || ' ' || id", 'body', { ssn: `iif(kind = 'agent', body ->> '$.ssn', NULL)` }),
  [
    'facts',
    'SELECT kind, id FROM facts WHERE body IS NULL AND ssn IS NOT NULL',
    'it is gone and is still found by its SSN',
  ],
];
