import { StoreFellBack } from '@countersign/event-log';
import { JobGone, type ReportJob } from '../report-jobs/report-job.js';
import type { ReportStore, StoredReport, StoredSeries } from './port.js';
import { shareCases } from './share.test-cases.js';

/** Opens one adapter; each test begins with an empty store. */
export interface StoreHarness {
  open(): Promise<ReportStore>;
  /** Closes and reopens the store. */
  reopen(store: ReportStore): Promise<ReportStore>;
  /** Removes all data; after `close`. */
  clean(): Promise<void>;
}

const DAY = '2026-01-02T00:00:00.000Z';
/** Later than jobs of the tests were created. */
const NOW = Date.parse('2026-01-05T00:00:00.000Z');
const SHA = 'ab'.repeat(32);

export function report(id: string, accountId: string, createdAt: string): StoredReport {
  return {
    id,
    version: 1,
    agentIds: ['agent'],
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-02T00:00:00.000Z',
    facts: {
      accountId,
      createdAt,
      format: 'json',
      frameworks: ['soc2'],
      public: false,
      sha256: SHA,
      contentHash: SHA,
      signature: 'c2ln',
      keyId: 'key_0123456789abcdef',
      pdfSha256: null,
      withdrawn: null,
    },
  };
}

function series(id: string, accountId: string, day: number): StoredSeries {
  return {
    ...{ id, accountId, createdAt: `2026-01-0${day}T00:00:00.000Z`, from: DAY, to: DAY, reportIds: ['r1'] },
    ...{ sha256: SHA, contentHash: SHA, keyId: 'key_0123456789abcdef' },
  };
}

export function reportJob(id: string, accountId: string, day: number): ReportJob {
  const range = { from: '2026-01-01T00:00:00.000Z', to: DAY };
  return {
    ...{ id, accountId, createdAt: `2026-01-0${day}T00:00:00.000Z`, userId: 'u', email: 'ana@example.com' },
    request: { ...range, agentIds: [], format: 'json', frameworks: ['soc2'], withhold: [] },
    ...{ title: null, split: false, state: 'waiting', next: range.from, done: 0, of: null },
    ...{ reports: [], error: null, attempts: 0 },
  };
}

export const ANCHOR = {
  kind: 'report',
  reportId: 'r1',
  contentHash: SHA,
  txSignature: 'sig',
  slot: 1,
  blockHeight: 1,
  anchoredAt: '2026-01-02T00:00:00.000Z',
  network: 'solana:localnet',
  authority: 'addr',
} as const;
export const AUTHORITY = { kind: 'authority', address: 'addr', network: 'n', validFrom: null, validTo: null } as const;

/** Contract of every adapter of {@link ReportStore}. */
export function reportStoreContract(name: string, harness: StoreHarness): void {
  describe(`report store: ${name}`, () => {
    let store: ReportStore;
    beforeEach(async () => {
      store = await harness.open();
    });
    afterEach(async () => {
      await store.close();
      await harness.clean();
    });
    const versions = async (): Promise<unknown> =>
      (await store.pending(10)).map(({ record }) => (JSON.parse(record.value) as { version: number }).version);

    it('stores a report and its record for the topic in the same step', async () => {
      await store.addReport(report('r1', 'a', '2026-01-02T00:00:00.000Z'));
      expect((await store.report('a', 'r1'))?.facts.sha256).toBe(SHA);
      store = await harness.reopen(store);
      const [pending] = await store.pending(10);
      expect(pending?.record).toMatchObject({ topic: 'reports', key: 'r1' });
      expect(JSON.parse(pending!.record.value)).toMatchObject({ v: 1, id: 'r1', version: 1 });
      await store.sent([pending!.id]);
      expect(await store.pending(10)).toEqual([]);
    });

    it('returns a report only to its own account', async () => {
      await store.addReport(report('r1', 'a', '2026-01-02T00:00:00.000Z'));
      expect(await store.report('b', 'r1')).toBeNull();
      expect(await store.anyReport('r1')).toEqual(await store.report('a', 'r1'));
      expect(await store.anyReport('r2')).toBeNull();
      expect(await store.reports('b', 10, 0)).toEqual({ reports: [], total: 0 });
    });

    it('lists newest first, by pages', async () => {
      for (const day of [1, 3, 2]) await store.addReport(report(`r${day}`, 'a', `2026-01-0${day}T00:00:00.000Z`));
      expect((await store.reports('a', 2, 0)).reports.map(({ id }) => id)).toEqual(['r3', 'r2']);
      expect(await store.reports('a', 2, 2)).toMatchObject({ reports: [{ id: 'r1' }], total: 3 });
    });

    it('keeps the entry of a report in a series with it', async () => {
      const entry = { entry: { reportId: 'r1' } as never, bodySha256: SHA };
      await store.addReport(report('r1', 'a', DAY), entry);
      await store.addReport(report('r2', 'a', DAY));
      store = await harness.reopen(store);
      expect(await store.entryOf('r1')).toEqual(entry);
      expect(await store.entryOf('r2')).toBeNull();
    });

    it('returns a series only to its own account, newest first, and never replaces one', async () => {
      for (const one of [series('s1', 'a', 1), series('s2', 'a', 3), series('s3', 'b', 2)]) await store.addSeries(one);
      await expect(store.addSeries(series('s1', 'b', 4))).rejects.toThrow('is there');
      store = await harness.reopen(store);
      expect(await store.series('a', 's1')).toEqual(series('s1', 'a', 1));
      expect(await store.series('b', 's1')).toBeNull();
      const page = await store.seriesPage('a', 1, 0);
      expect(page).toEqual({ series: [series('s2', 'a', 3)], total: 2 });
      const all: string[] = [];
      for await (const { id } of store.everySeries()) all.push(id);
      expect(all.sort()).toEqual(['s1', 's2', 's3']);
    });

    it('gives a due job to one claim at a time, and stores a report for its claim alone', async () => {
      const j1 = reportJob('j1', 'a', 1);
      expect(await store.addJob(j1, 1)).toBe(true);
      expect(await store.addJob(reportJob('j2', 'a', 2), 1)).toBe(false);
      expect(await store.addJob(reportJob('j3', 'b', 2), 1)).toBe(true);
      const claim = (await store.claimJob(NOW, NOW + 1_000))!;
      const other = (await store.claimJob(NOW, NOW + 1_000))!;
      expect([claim.job, other.job]).toMatchObject([
        { id: 'j1', attempts: 1 },
        { id: 'j3', attempts: 1 },
      ]);
      expect(await store.claimJob(NOW, NOW + 1_000)).toBeNull();
      store = await harness.reopen(store);
      const late = (await store.claimJob(NOW + 1_000, NOW + 2_000))!;
      expect(late.job.attempts).toBe(2);
      const lost = late.job.id === claim.job.id ? claim : other;
      const added = (token: string): Promise<void> =>
        store.addReport(report('r1', late.job.accountId, DAY), undefined, {
          token,
          job: { ...late.job, reports: ['r1'], done: 3 },
        });
      await expect(added(lost.token)).rejects.toThrow(JobGone);
      expect(await store.anyReport('r1')).toBeNull();
      await added(late.token);
      const { accountId, id } = late.job;
      expect(await store.job(accountId, id)).toMatchObject({ reports: ['r1'], done: 3 });
      expect(await store.keepJob(lost.token, late.job, null, true)).toBe(false);
      expect(await store.keepJob(late.token, { ...late.job, state: 'done' }, null, true)).toBe(true);
      expect(await store.keepJob(late.token, late.job, 0, true)).toBe(false);
    });

    it('adds no more jobs of an account than may be open, also of those that are asked for at once', async () => {
      const added = (first: number): Promise<readonly boolean[]> =>
        Promise.all([0, 1, 2, 3, 4].map((n) => store.addJob(reportJob(`j${first + n}`, 'a', 1), 3)));
      expect((await added(1)).filter(Boolean)).toHaveLength(3);
      expect((await store.jobs('a', 9, 0)).total).toBe(3);
      const { token, job } = (await store.claimJob(NOW, NOW + 1_000))!;
      await store.keepJob(token, job, null, true);
      expect((await added(6)).filter(Boolean)).toHaveLength(1);
    });

    it('gives a job that is tried again before those that were created after it was due', async () => {
      await store.addJob(reportJob('j1', 'a', 1), 9);
      const { token, job } = (await store.claimJob(NOW, NOW))!;
      await store.keepJob(token, job, Date.parse('2026-01-03T00:00:00.000Z'), true);
      for (const day of [4, 2]) await store.addJob(reportJob(`j${day}`, 'b', day), 9);
      const claimed: (string | undefined)[] = [];
      for (let n = 0; n < 4; n += 1) claimed.push((await store.claimJob(NOW, NOW + 1_000))?.job.id);
      expect(claimed).toEqual(['j2', 'j1', 'j4', undefined]);
    });

    it('shows a job to its own account, newest first, until it is removed or forgotten', async () => {
      for (const [id, day] of [
        ['j1', 1],
        ['j2', 3],
        ['j3', 2],
      ] as const)
        await store.addJob(reportJob(id, 'a', day), 9);
      expect(await store.jobs('a', 2, 0)).toEqual({
        jobs: [reportJob('j2', 'a', 3), reportJob('j3', 'a', 2)],
        total: 3,
      });
      expect([await store.jobs('b', 2, 0), await store.job('b', 'j1')]).toEqual([{ jobs: [], total: 0 }, null]);
      expect(await store.removeJob('b', 'j1')).toBe(false);
      const { token, job } = (await store.claimJob(NOW, NOW + 1_000))!;
      expect(await store.removeJob('a', job.id)).toBe(true);
      expect(await store.keepJob(token, job, 0, false)).toBe(false);
      const next = (await store.claimJob(NOW, NOW + 1_000))!;
      await store.keepJob(next.token, next.job, null, true);
      await store.forgetJobs('2026-02-01T00:00:00.000Z');
      const left = (await store.jobs('a', 9, 0)).jobs.map(({ id }) => id);
      expect(left).toEqual(['j1', 'j2', 'j3'].filter((id) => id !== job.id && id !== next.job.id));
    });

    shareCases(() => store, report);

    it('iterates over all reports of all accounts', async () => {
      const ids = Array.from({ length: 501 }, (_, n) => `r${String(n).padStart(3, '0')}`);
      for (let n = 0; n < ids.length; n += 20) {
        const some = ids.slice(n, n + 20);
        await Promise.all(some.map((id) => store.addReport(report(id, `a${id.at(-1)}`, '2026-01-02T00:00:00.000Z'))));
      }
      const seen: string[] = [];
      for await (const { id } of store.all()) seen.push(id);
      expect(seen.sort()).toEqual(ids);
    });

    it('accepts a newer version and never an older one, and publishes them in that order', async () => {
      const first = report('r1', 'a', '2026-01-02T00:00:00.000Z');
      await store.addReport(first);
      expect(await store.updateReport({ ...first, version: 3, facts: { ...first.facts, public: true } })).toBe(true);
      expect(await store.updateReport({ ...first, version: 2 })).toBe(false);
      expect(await store.report('a', 'r1')).toMatchObject({ version: 3, facts: { public: true } });
      expect(await versions()).toEqual([1, 3]);
    });

    it('accepts one of several concurrent changes', async () => {
      const first = report('r1', 'a', '2026-01-02T00:00:00.000Z');
      await store.addReport(first);
      const taken = await Promise.all([1, 2, 3, 4].map(() => store.updateReport({ ...first, version: 2 })));
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await versions()).toEqual([1, 2]);
    });

    it('publishes what people did with the change that it was, and not where nothing changes', async () => {
      const act = (value: string) => [{ topic: 'agent-events', key: 'people', value }] as const;
      const acts = async (): Promise<readonly string[]> =>
        (await store.pending(99)).filter(({ record }) => record.key === 'people').map(({ record }) => record.value);
      const first = report('r1', 'a', DAY);
      await store.addReport(first, undefined, undefined, act('issued'));
      await expect(store.addReport(first, undefined, undefined, act('again'))).rejects.toThrow('is there');
      await expect(
        store.addReport(report('r2', 'a', DAY), undefined, { job: reportJob('none', 'a', 1), token: 't' }, act('lost')),
      ).rejects.toThrow(JobGone);
      expect(await store.updateReport({ ...first, version: 2 }, act('published'))).toBe(true);
      expect(await store.updateReport({ ...first, version: 2 }, act('published again'))).toBe(false);
      await store.addSeries(series('s1', 'a', 1), act('series'));
      await store.putScope('a', { scope: {}, declaredAt: DAY }, act('scope'));
      store = await harness.reopen(store);
      expect([...(await acts())].sort()).toEqual(['issued', 'published', 'scope', 'series']);
    });

    it('keeps enqueued records until they are sent, in addition to those of reports', async () => {
      const record = (key: string) => ({ topic: 'anchor-requests', key, value: '{}' }) as const;
      await store.enqueue([record('r1'), record('r2')]);
      await store.enqueue([]);
      await store.addReport(report('r3', 'a', '2026-01-02T00:00:00.000Z'));
      const keys = async (limit: number) => (await store.pending(limit)).map((row) => row.record.key);
      expect(await keys(10)).toEqual(['r1', 'r2', 'r3']);
      expect(await keys(2)).toEqual(['r1', 'r2']);
      await store.sent((await store.pending(10)).filter(({ record: { key } }) => key !== 'r2').map(({ id }) => id));
      expect(await keys(10)).toEqual(['r2']);
    });

    it('keeps scopes by account; undeclared is empty', async () => {
      expect(await store.scope('a')).toEqual({});
      await Promise.all([1, 2].map(() => store.putScope('a', { scope: { hipaa: { ephi: true } }, declaredAt: DAY })));
      await store.putScope('a', { scope: { hipaa: { ephi: false } }, declaredAt: DAY });
      expect(await store.scope('a')).toEqual({ hipaa: { ephi: false } });
      expect(await store.scope('b')).toEqual({});
    });

    it('publishes each declared scope as a version of its own, and adopts none that is older', async () => {
      const hipaa = { scope: { hipaa: { ephi: true } }, declaredAt: DAY };
      await store.putScope('a', hipaa);
      await store.putScope('a', { ...hipaa, scope: { nydfs: { coveredEntity: true } } });
      const published = (await store.pending(10)).map(({ record }) => JSON.parse(record.value) as object);
      expect(published).toMatchObject([
        { id: 'a', version: 1, value: hipaa },
        { id: 'a', version: 2, value: { scope: { nydfs: { coveredEntity: true } } } },
      ]);
      await store.republishScope({ accountId: 'a', version: 1, ...hipaa });
      expect(await store.pending(10)).toHaveLength(2);
      await store.republishScope((await store.scopes())[0]!);
      expect((await store.pending(10)).map(({ record }) => record.value).slice(1)).toEqual(
        [2, 2].map((version) => expect.stringContaining(`"version":${version}`) as unknown),
      );
      await store.adoptScope({ accountId: 'a', version: 2, ...hipaa });
      expect(await store.scope('a')).toEqual({ nydfs: { coveredEntity: true } });
      await store.adoptScope({ accountId: 'a', version: 5, ...hipaa });
      await store.adoptScope({ accountId: 'b', version: 1, ...hipaa });
      store = await harness.reopen(store);
      expect(await store.scopes()).toEqual([
        { accountId: 'a', version: 5, ...hipaa },
        { accountId: 'b', version: 1, ...hipaa },
      ]);
    });

    it('finds the reports that open an event, and those without recorded runs', async () => {
      const run = (agentId: string, first: number, last: number) => ({ agentId, first, last });
      await store.addReport({ ...report('r1', 'a', DAY), opens: [run('x', 3, 5), run('x', 9, 9), run('y', 1, 4)] });
      await store.addReport({ ...report('r2', 'a', DAY), opens: [run('x', 5, 7)] });
      await store.addReport({ ...report('r3', 'b', DAY), opens: [] });
      await store.addReport(report('r4', 'a', DAY));
      store = await harness.reopen(store);
      const opening = async (agentId: string, sequence: number): Promise<string[]> =>
        (await store.opening(agentId, sequence)).map(({ id }) => id);
      expect(await opening('x', 5)).toEqual(['r1', 'r2']);
      expect(await opening('x', 8)).toEqual([]);
      expect(await opening('x', 9)).toEqual(['r1']);
      expect(await opening('y', 5)).toEqual([]);
      expect(await opening('agent', 7)).toEqual(['r4']);
    });

    it('stores anchors and the position together, also over a restart', async () => {
      expect(await store.anchorsPosition(0)).toBeNull();
      await store.keepAnchors(
        [
          { version: 1, value: ANCHOR },
          { version: 1, value: AUTHORITY },
        ],
        0,
        7,
      );
      store = await harness.reopen(store);
      expect(await store.anchorsPosition(0)).toBe(7);
      expect(await store.anchorsPosition(1)).toBeNull();
      expect(await store.reportAnchor('r1')).toEqual(ANCHOR);
      expect(await store.reportAnchor('r2')).toBeNull();
      expect(await store.authorities()).toEqual([AUTHORITY]);
    });

    it('refuses a batch that begins past its position: it has lost what it had acknowledged', async () => {
      await store.keepAnchors([], 0, 5, 0);
      await expect(store.keepAnchors([{ version: 1, value: AUTHORITY }], 0, 9, 6)).rejects.toThrow(StoreFellBack);
      expect(await store.anchorsPosition(0)).toBe(5);
      expect(await store.authorities()).toEqual([]);
    });

    it('never goes back on a late batch', async () => {
      const ended = { ...AUTHORITY, validTo: '2026-02-01T00:00:00.000Z' };
      await store.keepAnchors([{ version: 1, value: AUTHORITY }], 0, 1);
      await store.keepAnchors([{ version: 2, value: ended }], 0, 5);
      await store.keepAnchors([{ version: 1, value: AUTHORITY }], 0, 1);
      expect(await store.authorities()).toEqual([ended]);
      expect(await store.anchorsPosition(0)).toBe(5);
    });
  });
}
