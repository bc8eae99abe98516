import { DOCUMENT_TABLES, documentTable } from '@countersign/document-store';

/** Keys and checksums are computed when the store is opened. */
const DOCUMENTS = `
${DOCUMENT_TABLES}
${documentTable('facts')}
INSERT INTO doc_facts (id, version, body)
  SELECT kind || '/' || id, version, json_object('kind', kind, 'id', id, 'value', json(body)) FROM facts ORDER BY kind, id;
${documentTable('positions')}
INSERT INTO doc_positions (id, version, body)
  SELECT topic || '/' || partition, 1, json_object('next', next_offset) FROM positions;
DROP TABLE facts;
DROP TABLE positions;
`;

/** Appended to, never changed. The first three made tables of verification's own. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE facts (
     kind TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, sha256 TEXT, body TEXT, PRIMARY KEY (kind, id)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX facts_by_sha256 ON facts (sha256) WHERE sha256 IS NOT NULL;
   CREATE TABLE positions (
     topic TEXT NOT NULL, partition INTEGER NOT NULL, next_offset INTEGER NOT NULL, PRIMARY KEY (topic, partition)
   ) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE facts ADD COLUMN pdf_sha256 TEXT;
   CREATE INDEX facts_by_pdf_sha256 ON facts (pdf_sha256) WHERE pdf_sha256 IS NOT NULL;`,
  `ALTER TABLE facts ADD COLUMN ssn TEXT;
   CREATE INDEX facts_by_ssn ON facts (ssn) WHERE ssn IS NOT NULL;`,
  DOCUMENTS,
];
