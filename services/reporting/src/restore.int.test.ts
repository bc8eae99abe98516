import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SignedPackage } from '@countersign/contracts';
import { openSqliteLog, type EventLog } from '@countersign/event-log';
import { canonicalBytes, seriesFacts } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { RestoreContext, StoreAdapters } from '@countersign/service-kit';
import { openFileBlobs } from './blobs/file-blobs.js';
import { GOLDEN_RANGE, goldenPackage } from './issue-report/golden-packages.test-kit.js';
import { LOST, restoreFromTopics } from './restore.js';
import { openSqliteReportStore } from './store/open.js';
import { reportShare } from './store/share.test-cases.js';
import { reportRecord, type ReportStore, type StoredReport } from './store/port.js';
import { openedRuns } from './withdraw/opened-runs.js';

const wet = { dryRun: false, progress: () => undefined };

describe('a store of reports brought up to its topic', () => {
  let pkg: SignedPackage;
  let body: Uint8Array;
  let issued: StoredReport;
  let directory: string;
  let eventLog: EventLog;
  beforeAll(async () => {
    pkg = await goldenPackage(['soc2']);
    body = canonicalBytes(pkg);
    const { agentIds, from, to } = GOLDEN_RANGE;
    issued = {
      ...{ id: pkg.reportId, version: 1, agentIds, from, to, opens: openedRuns(pkg.events) },
      facts: {
        ...{ accountId: 'a', createdAt: '2026-03-02T12:00:00.000Z', format: 'json', frameworks: ['soc2'] },
        ...{ public: false, sha256: pkg.sha256, contentHash: 'ab'.repeat(32), signature: pkg.signature },
        ...{ keyId: 'key_0123456789abcdef', pdfSha256: null, withdrawn: null },
      },
    };
  });
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'reporting-restored-'));
    eventLog = await openSqliteLog({ file: join(directory, 'log.db') });
    await eventLog.append([reportRecord(issued)]);
  });
  afterEach(async () => {
    await eventLog.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const context = (): RestoreContext =>
    ({
      ...{ directory, eventLog },
      openStore: <T>(adapters: StoreAdapters<T>) => adapters.sqlite(),
    }) as unknown as RestoreContext;

  /** Puts the bytes in the place of the report's package, and restores. */
  async function restored(bytes: Uint8Array | null): Promise<{ readonly store: ReportStore; readonly lost: number }> {
    const blobs = await openFileBlobs(join(directory, 'packages'));
    if (bytes !== null) await blobs.put(pkg.sha256, [bytes]);
    await blobs.close();
    const { adopted, lost } = await restoreFromTopics(context(), wet);
    expect(adopted).toHaveLength(1);
    return { store: await openSqliteReportStore(join(directory, 'reports.db')), lost: lost.length };
  }

  it('has its range, agents, openings and entry of a series again from its package', async () => {
    const { store, lost } = await restored(body);
    expect(lost).toBe(0);
    expect(await store.report('a', issued.id)).toEqual(issued);
    expect(await store.entryOf(issued.id)).toEqual({
      entry: seriesFacts(pkg, nodeCrypto.sha256),
      bodySha256: Buffer.from(nodeCrypto.sha256(body)).toString('hex'),
    });
    await store.close();
  });

  it('lists no report in a series whose package is not the one that was issued', async () => {
    const { store } = await restored(canonicalBytes({ ...pkg, frameworks: ['hipaa'] }));
    expect(await store.entryOf(issued.id)).toBeNull();
    await store.close();
  });

  it('revokes every link to a report: the copy does not know which were revoked since', async () => {
    const older = await openSqliteReportStore(join(directory, 'reports.db'));
    await older.addReport(issued);
    const valid = { ...reportShare(1, issued.id, 'a'), expiresAt: '2100-01-01T00:00:00.000Z' };
    expect(await older.addShare(valid, 1)).toBe('added');
    await older.close();
    const links = '1 link to a report is revoked: make those that are still needed again';
    expect((await restoreFromTopics(context(), { ...wet, dryRun: true })).adopted).toEqual([links]);
    expect((await restoreFromTopics(context(), wet)).adopted).toEqual([links]);
    expect((await restoreFromTopics(context(), wet)).adopted).toEqual([]);
    const store = await openSqliteReportStore(join(directory, 'reports.db'));
    expect((await store.shares('a', issued.id, 9, 0)).shares[0]?.revokedAt).not.toBeNull();
    await store.close();
  });

  it('withdraws a report without its package', async () => {
    const { store, lost } = await restored(null);
    expect(lost).toBe(1);
    expect((await store.report('a', issued.id))?.facts.withdrawn).toBe(LOST);
    expect(await store.entryOf(issued.id)).toBeNull();
    await store.close();
  });
});
