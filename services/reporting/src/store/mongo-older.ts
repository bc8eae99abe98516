import { olderDocuments, POSITIONS, START_OLDER_ONCE } from '@countersign/document-store';
import type { OlderLayout, OlderRow } from '@countersign/document-store';
import type { ComplianceScope } from '@countersign/contracts';
import { ANCHORS, OPENINGS, REPORTS, SCOPES } from './documents.js';
import type { KeptAnchor, StoredReport } from './port.js';
import { openingsOf } from './report-documents.js';

interface Row extends OlderRow {
  readonly _id: string;
  /** JSON. */
  readonly body: string;
  readonly version?: number;
}
interface ReportRow extends Row {
  readonly version: number;
}
interface ScopeRow extends Row {
  readonly declaredAt?: string;
}
interface PositionRow extends OlderRow {
  readonly next: number;
}

/**
 * The layout before documents, where a report held its own records. Unpublished ones are published by the
 * comparison of the topic with the store.
 */
export const REPORT_LAYOUT: OlderLayout = {
  name: 'reports',
  collections: [
    'reporting_reports',
    'reporting_scopes',
    'reporting_anchors',
    'reporting_positions',
    'reporting_messages',
  ],
  async problem(read) {
    for await (const { _id } of read('reporting_messages', { _id: 1 })) {
      return `message ${String(_id)} of reporting was not published yet: ${START_OLDER_ONCE}`;
    }
    return null;
  },
  async *documents(read) {
    const reports = (): AsyncIterable<ReportRow> => read('reporting_reports', { createdAt: 1, _id: 1 });
    yield* olderDocuments(REPORTS, reports(), ({ _id: id, version, body }) => ({
      id,
      version,
      body: JSON.parse(body) as StoredReport,
    }));
    yield* olderDocuments(OPENINGS, reports(), ({ body }) => openingsOf(JSON.parse(body) as StoredReport));
    yield* olderDocuments(SCOPES, read<ScopeRow>('reporting_scopes', { _id: 1 }), (row) => {
      const { _id: id, body, version = 0, declaredAt = '' } = row;
      return { id, version: 1, body: { scope: JSON.parse(body) as ComplianceScope, declaredAt, version } };
    });
    yield* olderDocuments(ANCHORS, read<Row>('reporting_anchors', { _id: 1 }), ({ _id: id, body, version = 0 }) => ({
      id,
      version: 1,
      body: { version, value: JSON.parse(body) as KeptAnchor['value'] },
    }));
    yield* olderDocuments(POSITIONS, read<PositionRow>('reporting_positions', { _id: 1 }), ({ _id: id, next }) => ({
      id: String(id),
      version: 1,
      body: { next },
    }));
  },
};
