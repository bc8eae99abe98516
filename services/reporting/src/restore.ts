import { join } from 'node:path';
import type { Framework, PackageContent, ReportFacts } from '@countersign/contracts';
import { aheadOfStore } from '@countersign/topics';
import type { RestoreContext, RestoreOptions, Restored } from '@countersign/service-kit';
import type { Ahead, Owned } from '@countersign/topics';
import type { BlobStore } from './blobs/blob-store.js';
import { openMongoReportStore, openSqliteReportStore } from './store/open.js';
import type { OpenedRun, ReportStore, StoredReport } from './store/port.js';
import { openedRuns } from './withdraw/opened-runs.js';
import { removeBodies } from './withdraw/withdraw-report.js';

/** Why such a report cannot be fetched. Downloaded copies still verify. */
export const LOST = 'its package was lost with the database that it was in; a copy that was downloaded stays valid';

/**
 * Takes from the topic `reports` what is missing in a store that was restored from an older copy. The topic holds no packages: a
 * report whose package is not stored is kept as withdrawn, so that its downloaded copy verifies, and named.
 * @throws TopicDiffers
 */
export async function restoreFromTopics(context: RestoreContext, { dryRun }: RestoreOptions): Promise<Restored> {
  const store = await context.openStore<ReportStore>({
    sqlite: () => openSqliteReportStore(join(context.directory, 'reports.db')),
    mongo: openMongoReportStore,
  });
  const blobs = await context.openStore<BlobStore>({
    sqlite: async () => (await import('./blobs/file-blobs.js')).openFileBlobs(join(context.directory, 'packages')),
    mongo: async (uri) => (await import('./store/mongo-blobs.js')).openMongoBlobs(uri),
  });
  try {
    const adopted: string[] = [];
    const lost: string[] = [];
    for (const published of await aheadOfStore<ReportFacts>(context.eventLog, 'reports', owned(store))) {
      const body = published.value === null ? null : await blobs.get(published.value.sha256);
      const report = reportOf(published, await store.anyReport(published.id), body);
      if (report === null) continue;
      const isLost = report.facts.withdrawn === null && body === null;
      // The copy contains reports that were withdrawn since.
      if (!dryRun && report.facts.withdrawn !== null) await removeBodies({ blobs }, report);
      if (!dryRun) await keep(store, isLost ? withdrawn(report) : report, published.stored);
      adopted.push(`report ${published.id} of ${report.facts.createdAt}`);
      if (isLost) lost.push(`the package of report ${published.id} (${report.facts.sha256})`);
    }
    return { adopted, lost };
  } finally {
    await blobs.close();
    await store.close();
  }
}

/** Stores the report; the outbox repeats its published version, and adds that its package was lost. */
async function keep(store: ReportStore, report: StoredReport, stored: number): Promise<void> {
  if (stored === 0) await store.addReport(report);
  else await store.updateReport(report);
}

function withdrawn(report: StoredReport): StoredReport {
  return { ...report, version: report.version + 1, facts: { ...report.facts, withdrawn: LOST } };
}

/** The opened runs are read from the package if the folder still has it; for a lost one they are unknown and not needed. */
function reportOf(
  { id, version, value }: Ahead<ReportFacts>,
  stored: StoredReport | null,
  body: Uint8Array | null,
): StoredReport | null {
  if (value === null) return null;
  const facts = { ...value, frameworks: value.frameworks as readonly Framework[] };
  const kept = stored ?? { agentIds: [], opens: opensOf(body), from: value.createdAt, to: value.createdAt };
  return { ...kept, id, version, facts };
}

function opensOf(body: Uint8Array | null): readonly OpenedRun[] {
  if (body === null) return [];
  return openedRuns((JSON.parse(Buffer.from(body).toString('utf8')) as PackageContent).events);
}

async function* owned(store: ReportStore): AsyncGenerator<Owned> {
  for await (const { id, version, facts } of store.all()) yield { id, version, value: facts };
}
