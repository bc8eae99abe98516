import type { DeclaredScope, TopicName } from '@countersign/contracts';
import { InspectedDocuments, inspectDocuments } from '@countersign/document-store';
import type { InspectionSource, OwnedDocument, StoreInspection } from '@countersign/document-store';
import { JOBS } from './job-documents.js';
import { ANCHORS, COLLECTIONS, ENTRIES, OPENINGS, REPORTS, SCOPES, SERIES, SHARES } from './documents.js';
import { SERVICE } from './open.js';
import { anchorKey } from './port.js';
import type { KeptAnchor, StoredReport } from './port.js';
import { openingsOf } from './report-documents.js';
import { KEPT_FETCHES } from '../sharing/report-share.js';

/** The stored data, read for `fsck`. */
export interface ReportInspection extends StoreInspection {
  reports(): AsyncIterable<StoredReport>;
  /** Stored items of the topic `anchors`, by the keys of their records. */
  anchors(): AsyncIterable<KeptAnchor & { readonly key: string }>;
}

/**
 * Opens the store of a stopped instance by its file, or of an installation that may be running by its database.
 * @throws OtherLayout
 */
export async function inspectReports(source: InspectionSource): Promise<ReportInspection> {
  const documents = await inspectDocuments(source, SERVICE, COLLECTIONS);
  return new Inspection(documents, 'anchors', 'file' in source);
}

class Inspection extends InspectedDocuments implements ReportInspection {
  async *reports(): AsyncIterable<StoredReport> {
    for await (const { body } of this.documents.documents(REPORTS)) yield body;
  }

  async *anchors(): AsyncIterable<KeptAnchor & { readonly key: string }> {
    for await (const { id: key, body } of this.documents.documents(ANCHORS)) yield { key, ...body };
  }

  async *owned(topic: TopicName): AsyncIterable<OwnedDocument> {
    if (topic === 'reports') {
      for await (const { id, version, body } of this.documents.documents(REPORTS)) {
        yield { id, version, value: body.facts };
      }
    }
    if (topic !== 'compliance-scopes') return;
    for await (const { id, body } of this.documents.documents(SCOPES)) {
      const { scope, declaredAt, version } = body;
      const value: DeclaredScope = { scope, declaredAt };
      // Scopes declared before they were published are published at the next start.
      if (version > 0) yield { id, version, value };
    }
  }

  /** Contradictions of documents with themselves and each other, by location. */
  protected async disagreements(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const opened = new Set<string>();
    const accounts = new Map<string, string>();
    for await (const { id, version, body } of this.documents.documents(REPORTS)) {
      if (id !== body.id || version !== body.version) found.set(`reports ${id}`, NOT_ITSELF);
      accounts.set(id, body.facts.accountId);
      for (const opening of openingsOf(body)) opened.add(nameOf(opening.body));
    }
    for await (const { id, body } of this.documents.documents(OPENINGS)) {
      if (!opened.delete(nameOf(body))) found.set(`openings ${id}`, 'its report does not say that it opens this');
    }
    for (const name of opened) found.set(`openings ${name}`, 'its report opens this, and it is not noted');
    for await (const { id, body } of this.documents.documents(ENTRIES)) {
      if (id !== body.entry.reportId) found.set(`entries ${id}`, NOT_ITSELF);
    }
    for await (const { id, body } of this.documents.documents(SERIES)) {
      if (id !== body.id) found.set(`series ${id}`, NOT_ITSELF);
    }
    for await (const { id, body } of this.documents.documents(JOBS)) {
      if (id !== body.job.id) found.set(`jobs ${id}`, NOT_ITSELF);
    }
    for await (const { id, body } of this.documents.documents(SHARES)) {
      if (id !== body.id) found.set(`shares ${id}`, NOT_ITSELF);
      else if (accounts.get(body.reportId) !== body.accountId) {
        found.set(`shares ${id}`, 'it is a link to a report that its account does not have');
      } else if (body.log.length !== Math.min(body.fetches, KEPT_FETCHES)) {
        found.set(`shares ${id}`, 'it lists more or fewer fetches than it has counted');
      }
    }
    for await (const { id, body } of this.documents.documents(ANCHORS)) {
      if (id !== anchorKey(body)) found.set(`anchors ${id}`, NOT_ITSELF);
    }
    return found;
  }
}

const NOT_ITSELF = 'it is stored under another id or version than its own';

function nameOf(opening: { reportId: string; agentId: string; first: number; last: number }): string {
  const { reportId, agentId, first, last } = opening;
  return `${reportId} ${agentId} ${first} ${last}`;
}
