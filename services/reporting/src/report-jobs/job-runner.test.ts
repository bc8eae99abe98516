import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { accountStream } from '@countersign/contracts';
import { HttpRefusal, type SessionCaller } from '@countersign/http-edge';
import { createLogger } from '@countersign/process';
import type { Act } from '@countersign/topics';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { Directory } from '../directory.js';
import type { Issuer } from '../issue-report/issue.js';
import { loadControlMapping } from '../mapping/control-mapping.js';
import { Reports } from '../reports.js';
import { openSqliteReportStore } from '../store/open.js';
import type { ReportStore } from '../store/port.js';
import { report, reportJob } from '../store/store.contract.js';
import { JobRunner } from './job-runner.js';
import type { ReportJob } from './report-job.js';
import { ReportJobs } from './report-jobs.js';

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

/** Stands for the record of an act. */
function eventOf(act: Act): { readonly topic: 'agent-events'; readonly key: string; readonly value: string } {
  return { topic: 'agent-events', key: act.accountId, value: JSON.stringify(act) };
}

function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

describe('a report job', () => {
  const folder = mkdtempSync(join(tmpdir(), 'report-jobs-'));
  let store: ReportStore;
  let runner: JobRunner | null = null;
  let nowMs = 0;
  const directory = {
    accounts: new Map([['a', { value: { plan: 'core', name: 'Example Ltd' } }]]),
    agents: new Map(),
    settled: async () => undefined,
  } as unknown as Directory;
  beforeEach(async () => {
    nowMs = Date.parse('2026-01-05T00:00:00.000Z');
    store = await openSqliteReportStore(join(folder, `${Math.random()}.db`));
  });
  afterEach(async () => {
    await runner?.stop();
    await store.close();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs job `j1` of a range without events, by an issuer with these parts. */
  async function run(parts: Partial<Issuer>): Promise<void> {
    await runner?.stop();
    const issuer = {
      archive: { span: async () => null, referring: async () => [], leaves: async () => [] },
      proofs: { windows: async () => [], leafHashes: async () => [], proof: async () => null },
      ...{ mapping: loadControlMapping(nodeCrypto), store, blobs: { put: async () => undefined } },
      recomputer: { requireRoom: () => undefined, isSmall: () => true, statement: async () => null },
      ...{ crypto: nodeCrypto, generatorVersion: '1.0.0', anchorWaitMs: 1 },
      signer: async () => ({ keyId: 'key_0', publicKey: new Uint8Array(32), sign: async () => new Uint8Array(64) }),
      ...{ authorities: async () => [], publicUrl: () => 'https://countersign.example', now: async () => nowMs },
      recorded: async (act: Act) => [eventOf(act)],
      ...{ flush: async () => undefined, requireUnerased: async () => undefined, anchorOf: async () => null },
      ...parts,
    } as unknown as Issuer;
    runner = new JobRunner(issuer, directory, createLogger('silent'));
    runner.wake();
  }

  async function until(wanted: (job: ReportJob) => boolean): Promise<ReportJob> {
    for (let n = 0; n < 500; n += 1) {
      const job = await store.job('a', 'j1');
      if (job !== null && wanted(job)) return job;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`the job stays ${JSON.stringify(await store.job('a', 'j1'))}`);
  }

  it('is tried again where something is away, and issues one report', async () => {
    await store.addJob(reportJob('j1', 'a', 1), 4);
    await run({ signer: () => Promise.reject(new HttpRefusal(503, 'the signer cannot be reached')) });
    const waiting = await until(({ attempts }) => attempts === 1);
    expect(waiting).toMatchObject({ state: 'waiting', error: 'the signer cannot be reached', reports: [] });
    nowMs += 5_000;
    await run({});
    const done = await until(({ state }) => state === 'done');
    expect(done).toMatchObject({ error: null, of: 0, done: 0, next: done.request.to });
    const { reports, total } = await store.reports('a', 9, 0);
    expect([total, reports[0]?.id]).toEqual([1, done.reports[0]]);
  });

  it.each([
    ['says at once', 1],
    ['says at the next attempt alone', 2],
  ])('issues one report where the store fails after it took it, and %s that it has it', async (_what, failures) => {
    await store.addJob(reportJob('j1', 'a', 1), 4);
    const intervals = jest.spyOn(globalThis, 'setInterval');
    let left = failures;
    const lose = async <Value>(value: Promise<Value>): Promise<Value> => {
      const kept = await value;
      left -= 1;
      // A renewal of the claim waits meanwhile.
      if (left === failures - 1) intervals.mock.calls.at(-1)![0]();
      if (left >= 0) throw new Error('the connection was lost');
      return kept;
    };
    const failing = new Proxy(store, {
      get(target, name) {
        const held: unknown = Reflect.get(target, name);
        if (typeof held !== 'function') return held;
        const call = (...args: unknown[]): unknown => Reflect.apply(held, target, args) as unknown;
        return name === 'addReport' || name === 'anyReport'
          ? (...args: unknown[]) => lose(call(...args) as never)
          : call;
      },
    });
    await run({ store: failing });
    await until(({ reports }) => reports.length === 1);
    await pause(50);
    intervals.mockRestore();
    expect((await store.job('a', 'j1'))?.reports).toHaveLength(1);
    nowMs += 30_000;
    runner!.wake();
    const done = await until(({ state }) => state === 'done');
    const { reports, total } = await store.reports('a', 9, 0);
    expect([total, reports.map(({ id }) => id)]).toEqual([1, done.reports]);
    const acts = (await store.pending(99)).filter(({ record }) => record.topic === 'agent-events');
    expect(acts.map(({ record }) => JSON.parse(record.value) as Act)).toMatchObject([
      {
        ...{ accountId: 'a', type: 'account.report_issued', by: { kind: 'user', id: done.userId } },
        content: { report: { id: done.reports[0], from: done.request.from, to: done.request.to }, agentIds: [] },
      },
    ]);
  });

  it('fails once eight attempts have ended the process', async () => {
    await store.addJob(reportJob('j1', 'a', 1), 4);
    for (let attempts = 1; attempts <= 8; attempts += 1) {
      expect((await store.claimJob(nowMs, nowMs + 30_000))?.job.attempts).toBe(attempts);
      nowMs += 30_000;
    }
    await run({});
    const { error, reports } = await until(({ state }) => state === 'failed');
    expect([error, reports]).toEqual([expect.stringContaining('the process that made it ended'), []]);
  });

  it('has the package that is stored while its claim is renewed', async () => {
    await store.addJob(reportJob('j1', 'a', 1), 4);
    const intervals = jest.spyOn(globalThis, 'setInterval');
    const [anchor, time] = [deferred<null>(), deferred<number>()];
    let next: Promise<number> | null = null;
    await run({
      anchorOf: () => anchor.promise,
      now: async () => {
        const answer = next ?? nowMs;
        next = null;
        return answer;
      },
      // The report is stored: the renewal continues now at the latest.
      requireUnerased: async () => {
        time.resolve(nowMs);
        await pause(20);
      },
    });
    await until(({ state }) => state === 'anchoring');
    next = time.promise;
    intervals.mock.calls.at(-1)![0]();
    intervals.mockRestore();
    await pause(1);
    expect(next).toBeNull();
    anchor.resolve(null);
    await pause(100);
    time.resolve(nowMs);
    const { reports, next: end, request } = await until(({ state }) => state === 'done');
    expect([reports.length, end]).toEqual([1, request.to]);
  });

  it('over all agents lists the trail', async () => {
    const job = reportJob('j1', 'a', 1);
    await store.addJob(job, 4);
    const trail = accountStream('a');
    // Its one event is before the range.
    const span = async (id: string, from: string): Promise<object | null> =>
      id === trail && from < job.request.from ? { first: 1, last: 1 } : null;
    await run({ archive: { span, referring: async () => [], leaves: async () => [] } as unknown as Issuer['archive'] });
    const { reports } = await until(({ state }) => state === 'done');
    expect((await store.anyReport(reports[0]!))?.agentIds).toEqual([trail]);
  });

  it('opens the trail for admins and auditors only', async () => {
    const jobs = new ReportJobs(
      store,
      directory,
      async () => nowMs,
      () => undefined,
    );
    const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
    const body = { ...range, format: 'json', frameworks: ['soc2'], trail: 'opened' };
    const create = (role: SessionCaller['role'], more: object): Promise<unknown> =>
      jobs.create({ accountId: 'a', userId: 'u', email: 'ana@example.com', role }, { ...body, ...more });
    await expect(create('member', {})).rejects.toMatchObject({
      ...{ status: 403, message: 'the content of the trail is for admins and auditors' },
    });
    const agentIds = ['0198a1b2-0000-7000-8000-00000000000a'];
    await expect(create('admin', { agentIds })).rejects.toMatchObject({ status: 400 });
    expect((await store.jobs('a', 9, 0)).total).toBe(0);
    await create('admin', {});
    await create('member', { trail: 'withheld' });
    expect((await store.jobs('a', 9, 0)).jobs.map(({ request }) => request.trail).sort()).toEqual([
      'opened',
      'withheld',
    ]);
  });

  it('lets no member read the trail that its report opens, and only an admin publish it', async () => {
    const [account, open, withheld] = ['0198a1b2-0000-4000-8000-00000000000a', 'r1', 'r2'];
    const [createdAt, opens] = ['2026-01-02T00:00:00.000Z', [{ agentId: accountStream(account), first: 1, last: 1 }]];
    await store.addReport({ ...report(open, account, createdAt), opens });
    await store.addReport({ ...report(withheld, account, createdAt), opens: [] });
    const blobs = { get: async (name: string) => Buffer.from(name) };
    const issuer = { store, blobs, flush: async () => undefined, recorded: async (act: Act) => [eventOf(act)] };
    const reports = new Reports(issuer as unknown as Issuer, directory);
    const [member, admin] = (['member', 'admin'] as const).map((role) => ({ accountId: account, role, userId: role }));
    await expect(reports.setPublic(member!, open, true)).rejects.toMatchObject({
      ...{ status: 403, message: 'the report shows the content of the trail: only an admin may make it public' },
    });
    const unread = {
      status: 403,
      message: 'the report shows the content of the trail, which is for admins and auditors',
    };
    await expect(reports.body(member!, open)).rejects.toMatchObject(unread);
    await expect(reports.pdf(member!, open)).rejects.toMatchObject(unread);
    const { sha256 } = (await store.anyReport(open))!.facts;
    expect(Buffer.from(await reports.body(admin!, open)).toString()).toBe(sha256);
    expect(await reports.setPublic(member!, withheld, true)).toMatchObject({ public: true });
    expect(await reports.setPublic(admin!, open, true)).toMatchObject({ public: true });
    expect(Buffer.from(await reports.body(member!, open)).toString()).toBe(sha256);
    expect(await reports.setPublic(member!, open, false)).toMatchObject({ public: false });
  });

  it('fails at once where trying again is no use', async () => {
    await store.addJob(reportJob('j1', 'a', 1), 4);
    await run({ signer: () => Promise.reject(new HttpRefusal(400, 'the package would be larger than 60 MiB')) });
    expect(await until(({ state }) => state === 'failed')).toMatchObject({
      error: 'the package would be larger than 60 MiB',
      attempts: 1,
    });
    expect(await store.claimJob(nowMs + 1e9, nowMs + 2e9)).toBeNull();
  });

  it('that is cancelled while its transaction is awaited stores no report', async () => {
    await store.addJob(reportJob('j1', 'a', 1), 4);
    let anchored: (anchor: null) => void = () => undefined;
    const anchor = new Promise<null>((resolve) => (anchored = resolve));
    await run({ anchorOf: () => anchor });
    await until(({ state }) => state === 'anchoring');
    expect(await store.removeJob('a', 'j1')).toBe(true);
    anchored(null);
    await runner!.stop();
    expect((await store.reports('a', 9, 0)).total).toBe(0);
  });

  it('is given back when the service stops, and is continued at once', async () => {
    await store.addJob(reportJob('j1', 'a', 1), 4);
    await run({ anchorOf: () => new Promise(() => undefined) });
    await until(({ state }) => state === 'anchoring');
    await runner!.stop();
    expect(await store.job('a', 'j1')).toMatchObject({ state: 'waiting', attempts: 0, error: null });
    await run({});
    await until(({ state }) => state === 'done');
  });

  it('takes the range of a report again that was withdrawn as soon as it was stored', async () => {
    await store.addJob(reportJob('j1', 'a', 1), 4);
    await run({
      requireUnerased: async (report) => {
        await store.updateReport({ ...report, version: 2, facts: { ...report.facts, withdrawn: 'erased' } });
        throw new HttpRefusal(503, 'content was erased while the report was made: ask again');
      },
    });
    const waiting = await until(({ error }) => error !== null);
    expect(waiting).toMatchObject({ reports: [], next: waiting.request.from });
    nowMs += 5_000;
    await run({});
    const done = await until(({ state }) => state === 'done');
    expect((await store.anyReport(done.reports[0]!))?.facts.withdrawn).toBeNull();
  });
});
