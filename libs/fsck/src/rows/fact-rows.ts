import { notAsTold, notJson, type Question } from './questions.js';

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
