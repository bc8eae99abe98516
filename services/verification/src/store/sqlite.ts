import { openDatabase } from '@countersign/document-store';
import type { AgentHeadFacts, ReportFacts, SigningKeyFacts, TopicName } from '@countersign/contracts';
import type { AuthorityFacts, PublicFact, PublicFacts, RegisteredAgent, ReportAnchorFacts } from './port.js';

const MIGRATIONS = [
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
];

/** Opens (or creates) `file`. Throws `StoreDamaged` naming it. */
export function openSqlitePublicFacts(file: string): PublicFacts {
  const db = openDatabase(file, MIGRATIONS);
  const put = db.prepare(
    `INSERT INTO facts (kind, id, version, sha256, pdf_sha256, ssn, body) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, sha256 = excluded.sha256,
       pdf_sha256 = excluded.pdf_sha256, ssn = excluded.ssn, body = excluded.body
     WHERE excluded.version > facts.version`,
  );
  const one = db.prepare<[string, string], { body: string }>(
    'SELECT body FROM facts WHERE kind = ? AND id = ? AND body IS NOT NULL',
  );
  const all = db.prepare<[string], { id: string; body: string }>(
    'SELECT id, body FROM facts WHERE kind = ? AND body IS NOT NULL ORDER BY id',
  );
  const bySha256 = db.prepare<[string], { id: string; body: string }>(
    "SELECT id, body FROM facts WHERE sha256 = ? AND kind = 'report' AND body IS NOT NULL",
  );
  const byPdfSha256 = db.prepare<[string], { id: string; body: string }>(
    "SELECT id, body FROM facts WHERE pdf_sha256 = ? AND kind = 'report' AND body IS NOT NULL",
  );
  const bySsn = db.prepare<[string], { id: string; body: string }>(
    "SELECT id, body FROM facts WHERE ssn = ? AND kind = 'agent' AND body IS NOT NULL",
  );
  const readPosition = db.prepare<[string, number], { next_offset: number }>(
    'SELECT next_offset FROM positions WHERE topic = ? AND partition = ?',
  );
  const writePosition = db.prepare(
    `INSERT INTO positions (topic, partition, next_offset) VALUES (?, ?, ?)
     ON CONFLICT (topic, partition) DO UPDATE SET next_offset = max(next_offset, excluded.next_offset)`,
  );
  const parsed = <T>(row: { readonly body: string } | undefined): T | null =>
    row === undefined ? null : (JSON.parse(row.body) as T);
  const named = <T>(row: { id: string; body: string } | undefined): { id: string; facts: T } | null =>
    row === undefined ? null : { id: row.id, facts: JSON.parse(row.body) as T };
  const keep = db.transaction(
    (facts: readonly PublicFact[], topic: TopicName, partition: number, nextOffset: number): void => {
      for (const { kind, id, version, value } of facts) {
        const sha256 = kind === 'report' ? (value?.sha256 ?? null) : null;
        const pdfSha256 = kind === 'report' ? (value?.pdfSha256 ?? null) : null;
        const ssn = kind === 'agent' ? (value?.ssn ?? null) : null;
        put.run(kind, id, version, sha256, pdfSha256, ssn, value === null ? null : JSON.stringify(value));
      }
      writePosition.run(topic, partition, nextOffset);
    },
  );
  return {
    position: async (topic, partition) => readPosition.get(topic, partition)?.next_offset ?? null,
    keep: async (facts, topic, partition, nextOffset) => keep(facts, topic, partition, nextOffset),
    keys: async () => all.all('key').map(({ id, body }) => ({ id, facts: JSON.parse(body) as SigningKeyFacts })),
    key: async (id) => parsed<SigningKeyFacts>(one.get('key', id)),
    authorities: async () => all.all('authority').map(({ body }) => JSON.parse(body) as AuthorityFacts),
    report: async (id) => parsed<ReportFacts>(one.get('report', id)),
    reportBySha256: async (sha256) => named<ReportFacts>(bySha256.get(sha256)),
    reportByPdfSha256: async (pdfSha256) => named<ReportFacts>(byPdfSha256.get(pdfSha256)),
    reportAnchor: async (reportId) => parsed<ReportAnchorFacts>(one.get('report-anchor', reportId)),
    agentBySsn: async (ssn) => named<RegisteredAgent>(bySsn.get(ssn)),
    agentHead: async (agentId) => parsed<AgentHeadFacts>(one.get('agent-head', agentId)),
    close: async () => void db.close(),
  };
}
