import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Framework, ReportFacts, SignedPackage } from '@countersign/contracts';
import { packageDigests, seriesFacts } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { aheadOfStore } from '@countersign/topics';
import type { RestoreContext, RestoreOptions, Restored } from '@countersign/service-kit';
import type { Ahead, Owned } from '@countersign/topics';
import type { BlobStore } from './blobs/blob-store.js';
import { openMongoReportStore, openSqliteReportStore } from './store/open.js';
import type { ReportStore, StoredEntry, StoredReport } from './store/port.js';
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
      if (!dryRun) await keep(store, isLost ? withdrawn(report) : report, published.stored, body);
      adopted.push(`report ${published.id} of ${report.facts.createdAt}`);
      if (isLost) lost.push(`the package of report ${published.id} (${report.facts.sha256})`);
    }
    // The copy does not know which links were revoked since.
    const links = dryRun ? await store.unrevokedShares() : await store.revokeEveryShare(new Date().toISOString());
    const revoked = links === 1 ? '1 link to a report is revoked' : `${links} links to reports are revoked`;
    if (links > 0) adopted.push(`${revoked}: make those that are still needed again`);
    return { adopted, lost };
  } finally {
    await blobs.close();
    await store.close();
  }
}

/** Stores the report; the outbox repeats its published version, and adds that its package was lost. */
async function keep(store: ReportStore, report: StoredReport, stored: number, body: Uint8Array | null): Promise<void> {
  if (stored === 0) await store.addReport(report, entryOf(report, body));
  else await store.updateReport(report);
}

function withdrawn(report: StoredReport): StoredReport {
  return { ...report, version: report.version + 1, facts: { ...report.facts, withdrawn: LOST } };
}

/** The rest of a report is read from its package if that is still there; for a lost one it is unknown and not needed. */
function reportOf(
  { id, version, value }: Ahead<ReportFacts>,
  stored: StoredReport | null,
  body: Uint8Array | null,
): StoredReport | null {
  if (value === null) return null;
  const facts = { ...value, frameworks: value.frameworks as readonly Framework[] };
  const kept = stored ?? keptIn(body, value.createdAt);
  return { ...kept, id, version, facts };
}

function keptIn(body: Uint8Array | null, createdAt: string): Pick<StoredReport, 'agentIds' | 'opens' | 'from' | 'to'> {
  if (body === null) return { agentIds: [], opens: [], from: createdAt, to: createdAt };
  const { agents, events, range } = packageOf(body);
  return { agentIds: agents.map(({ id }) => id), opens: openedRuns(events), from: range.from, to: range.to };
}

/** The entry of a report in a series; none where its package is withdrawn, lost, or not the one that was issued. */
function entryOf({ facts }: StoredReport, body: Uint8Array | null): StoredEntry | undefined {
  if (body === null || facts.withdrawn !== null) return undefined;
  const issued = packageOf(body);
  if (packageDigests(issued, nodeCrypto.sha256).sha256 !== facts.sha256) return undefined;
  return {
    entry: seriesFacts(issued, nodeCrypto.sha256),
    bodySha256: createHash('sha256').update(body).digest('hex'),
  };
}

function packageOf(body: Uint8Array): SignedPackage {
  return JSON.parse(Buffer.from(body).toString('utf8')) as SignedPackage;
}

async function* owned(store: ReportStore): AsyncGenerator<Owned> {
  for await (const { id, version, facts } of store.all()) yield { id, version, value: facts };
}
