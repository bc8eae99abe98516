import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ErasedContent } from '@countersign/contracts';
import { openFileBlobs } from '../blobs/file-blobs.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { OpenedRun, ReportStore, StoredReport } from '../store/port.js';
import { openSqliteReportStore } from '../store/open.js';
import { openedRuns } from './opened-runs.js';
import { ERASED, requireUnerased, type WithdrawalContext } from './withdraw-report.js';
import { Withdrawals } from './withdrawals.js';

const DAY = '2026-01-02T00:00:00.000Z';
const hash = (n: number): string => n.toString(16).padStart(64, '0');

function report(n: number, opens: readonly OpenedRun[] | null, pdf = false): StoredReport {
  return {
    ...{ id: `r${n}`, version: 1, agentIds: ['agent'], from: DAY, to: DAY },
    ...(opens === null ? {} : { opens }),
    facts: {
      ...{ accountId: 'a', createdAt: DAY, format: 'json', frameworks: ['soc2'], public: true, sha256: hash(n) },
      ...{ contentHash: hash(n), signature: 's', keyId: 'k', pdfSha256: pdf ? hash(n + 100) : null, withdrawn: null },
    },
  };
}

const erased = (sequence: number): ErasedContent => ({ agentId: 'agent', sequence, eventId: `e${sequence}` });
const run = (first: number, last: number): OpenedRun => ({ agentId: 'agent', first, last });

describe('packages whose content was erased', () => {
  let directory: string;
  let store: ReportStore;
  let blobs: BlobStore;
  let pending: ErasedContent[];
  let gone: number[];
  let dependencies: WithdrawalContext;
  const log = { warn: () => undefined } as never;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'withdrawals-'));
    store = await openSqliteReportStore(join(directory, 'reports.db'));
    blobs = await openFileBlobs(join(directory, 'packages'));
    pending = [];
    gone = [];
    dependencies = {
      store,
      blobs,
      flush: async () => undefined,
      withdrawn: async () => [],
      erasures: {
        pending: async (limit) => pending.slice(0, limit),
        acknowledge: async (ids) => void (pending = pending.filter(({ eventId }) => !ids.includes(eventId))),
        among: async (_agent, first, last) => gone.filter((sequence) => first <= sequence && sequence <= last),
      },
    };
  });
  afterEach(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });

  async function keep(one: StoredReport, body = '{}'): Promise<StoredReport> {
    await blobs.put(one.facts.sha256, [body]);
    if (one.facts.pdfSha256 !== null) await blobs.put(`${one.facts.pdfSha256}.pdf`, ['%PDF']);
    await store.addReport(one);
    return one;
  }
  const bodies = (): string[] => readdirSync(join(directory, 'packages')).sort();
  const reasons = async (): Promise<unknown[]> => {
    const all: unknown[] = [];
    for await (const { facts } of store.all()) all.push(facts.withdrawn);
    return all;
  };

  it('are withdrawn with both bodies, and only then is the erasure acknowledged', async () => {
    await keep(report(1, [run(1, 5)], true));
    await keep(report(2, [run(1, 2), run(4, 9)]));
    pending = [erased(3), erased(7)];
    const observed: unknown[] = [];
    const flush = async (): Promise<void> => void observed.push(await reasons(), pending.length);
    await new Withdrawals({ log }, { ...dependencies, flush }).withdrawPending();
    expect(await reasons()).toEqual([ERASED, ERASED]);
    expect(bodies()).toEqual([]);
    expect(pending).toEqual([]);
    expect(observed).toEqual([[ERASED, null], 2, [ERASED, ERASED], 2]);
    const versions = (await store.pending(9)).map(({ record }) => JSON.parse(record.value) as { version: number });
    expect(versions.map(({ version }) => version)).toEqual([1, 1, 2, 2]);
  });

  it('stay if they open something else', async () => {
    await keep(report(1, [run(1, 2), run(4, 9)]));
    await keep(report(2, []));
    pending = [erased(3), { ...erased(5), agentId: 'other' }];
    await new Withdrawals({ log }, dependencies).withdrawPending();
    expect([await reasons(), pending]).toEqual([[null, null], []]);
    expect(bodies()).toHaveLength(2);
  });

  it('are found by their bodies if their opened runs were not recorded', async () => {
    const body = (eventId: string, sequence: number, opened: object): string =>
      JSON.stringify({ events: [{ event: { agentId: 'agent', eventId }, sequence, opened }] });
    const action = { salt: 's', value: 1 };
    await keep(report(1, null), body('e3', 3, { action }));
    await keep(report(2, null), body('e31', 31, { action }));
    // Withheld, or issued after the content was erased.
    await keep(report(3, null), body('e3', 3, {}));
    await keep(report(4, null), body('e3', 3, { payload: { salt: 's' } }));
    await keep(report(5, null), 'a damaged body');
    pending = [erased(3)];
    await new Withdrawals({ log }, dependencies).withdrawPending();
    expect(await reasons()).toEqual([ERASED, null, null, null, ERASED]);
    expect(bodies()).toEqual([2, 3, 4].map(hash));
  });

  it('are published as withdrawn once possible: a failure is retried', async () => {
    await keep(report(1, [run(3, 3)]));
    pending = [erased(3)];
    const failing = { ...dependencies, flush: () => Promise.reject(new Error('no log')) };
    await expect(new Withdrawals({ log }, failing).withdrawPending()).rejects.toThrow('no log');
    expect(pending).toHaveLength(1);
    await new Withdrawals({ log }, dependencies).withdrawPending();
    expect([await reasons(), bodies(), pending]).toEqual([[ERASED], [], []]);
  });

  it('are withdrawn again if an older copy was restored, and orphaned bodies are removed', async () => {
    await keep(report(1, [run(1, 5)]));
    await keep(report(2, [run(9, 9)]));
    const withdrawn = report(3, [run(1, 1)]);
    await keep({ ...withdrawn, facts: { ...withdrawn.facts, withdrawn: ERASED } });
    for (const n of [4, 5]) await blobs.put(hash(n), ['left by a process that was killed']);
    const old = new Date(Date.now() - 7_200_000);
    for (const n of [2, 4]) utimesSync(join(directory, 'packages', hash(n)), old, old);
    gone = [3];
    await new Withdrawals({ log }, dependencies).withdrawPending();
    expect(await reasons()).toEqual([ERASED, null, ERASED]);
    expect(bodies()).toEqual([hash(2), hash(5)]);
  });

  it('leave no body of a killed process, also if it was young at startup', async () => {
    await keep(report(1, []));
    await blobs.put(hash(2), ['left by a process that was killed']);
    let laterMs = 0;
    const withdrawals = new Withdrawals({ log }, dependencies, () => Date.now() + laterMs);
    await withdrawals.withdrawPending();
    laterMs = 3_000_000;
    await withdrawals.withdrawPending();
    expect(bodies()).toEqual([hash(1), hash(2)]);
    laterMs = 4_000_000;
    await withdrawals.withdrawPending();
    expect(bodies()).toEqual([hash(1)]);
  });

  it('are not issued if an order erased content before they were recorded', async () => {
    const issued = await keep(report(1, [run(1, 2), run(4, 9)]));
    gone = [3, 10];
    await requireUnerased(dependencies, issued);
    expect(bodies()).toHaveLength(1);
    gone = [3, 4];
    await expect(requireUnerased(dependencies, issued)).rejects.toMatchObject({ status: 503 });
    expect([bodies(), (await reasons())[0]]).toEqual([[], expect.stringContaining('never answered')]);
  });

  it('are not kept if it cannot be determined whether content was erased', async () => {
    const issued = await keep(report(1, [run(1, 2)]));
    const unknown = { ...dependencies.erasures, among: () => Promise.reject(new Error('not reachable')) };
    await expect(requireUnerased({ ...dependencies, erasures: unknown }, issued)).rejects.toThrow('not reachable');
    expect(bodies()).toEqual([]);
  });
});

it('the runs that a package opens exclude erased and withheld content, and salts alone', () => {
  const value = { salt: 's', value: 1 };
  const events = [
    [1, { action: value }],
    [2, { action: value, payload: { salt: 's' } }],
    [3, {}],
    [4, { payload: value }],
    [5, { payload: { salt: 's' } }],
    [7, { action: value }],
    [8, { action: value }],
    [10, { context: value }],
    [12, { payload: { members: [{ name: 'a', salt: 's', value: 1 }, 'digest'] } }],
  ] as const;
  const of = (agentId: string) =>
    events.map(([sequence, opened]) => ({ event: { agentId } as never, sequence, opened }));
  const runs = (agentId: string) =>
    [
      [1, 2],
      [4, 4],
      [7, 8],
      [10, 10],
      [12, 12],
    ].map(([first, last]) => ({ agentId, first, last }));
  expect(openedRuns([...of('a'), ...of('b')])).toEqual([...runs('a'), ...runs('b')]);
});
