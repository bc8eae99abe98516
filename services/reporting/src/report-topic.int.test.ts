import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLog } from '@countersign/event-log';
import type { EventLog } from '@countersign/event-log';
import { readVersionedRecord } from '@countersign/topics';
import { ReportTopic } from './report-topic.js';
import type { ReportStore, StoredReport } from './store/port.js';
import { reportRecord } from './store/port.js';
import { openSqliteReportStore } from './store/open.js';

const SHA = 'ab'.repeat(32);

function report(id: string, version: number): StoredReport {
  const createdAt = '2026-01-02T00:00:00.000Z';
  const signed = { sha256: SHA, contentHash: SHA, signature: 'c2ln', keyId: 'key_0123456789abcdef', pdfSha256: null };
  const facts = { accountId: 'a', createdAt, format: 'json' as const, frameworks: ['soc2' as const] };
  return {
    ...{ id, version, agentIds: ['agent'], from: createdAt, to: createdAt },
    facts: { ...facts, ...signed, public: version > 1, withdrawn: null },
  };
}

describe('the topic of reports', () => {
  const folder = mkdtempSync(join(tmpdir(), 'report-topic-'));
  let eventLog: EventLog;
  let store: ReportStore;
  const failures: unknown[] = [];
  const log = { error: (what: unknown) => void failures.push(what) } as never;
  beforeAll(async () => {
    eventLog = await openSqliteLog({ file: join(folder, 'log.db') });
    store = await openSqliteReportStore(join(folder, 'reports.db'));
    for (const [id, version] of [
      ['r1', 1],
      ['r2', 3],
      ['r3', 2],
    ] as const)
      await store.addReport(report(id, version));
    // Everything was relayed; then the topic was reset to an older state.
    await store.sent((await store.pending(10)).map(({ id }) => id));
    await eventLog.append([reportRecord(report('r1', 1)), reportRecord(report('r2', 1))]);
  });
  afterAll(async () => {
    await store.close();
    await eventLog.close();
    rmSync(folder, { recursive: true });
  });
  const compare = async (): Promise<string | null> => {
    const topic = new ReportTopic({ eventLog, log }, store);
    expect(topic.problem()).toBe('the topic reports is being compared with the store');
    await topic.compared;
    return topic.problem();
  };
  const newest = async (): Promise<ReadonlyMap<string, unknown>> => {
    const records = await eventLog.read('reports', 0, 0, 100);
    const read = records.map((record) => readVersionedRecord<{ readonly public: boolean }>(record));
    return new Map(read.map(({ id, version, value }) => [id, [version, value?.public]]));
  };

  it('receives missing and newer versions, and nothing twice', async () => {
    expect(await compare()).toBeNull();
    expect(await eventLog.endOffsets('reports')).toEqual({ 0: 4 });
    expect(Object.fromEntries(await newest())).toEqual({ r1: [1, false], r2: [3, true], r3: [2, true] });
    expect(await compare()).toBeNull();
    expect(await eventLog.endOffsets('reports')).toEqual({ 0: 4 });
    expect(failures).toEqual([]);
  });

  it('is reported if it is ahead of the store, and keeps the service from being ready', async () => {
    await eventLog.append([reportRecord(report('r3', 9))]);
    expect(await compare()).toMatch(/^topic reports holds version 9 of r3, the store 2: put the newest state .* back/);
    expect(failures).toHaveLength(1);
  });
});
