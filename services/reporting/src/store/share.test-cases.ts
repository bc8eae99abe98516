import { KEPT_FETCHES, type ReportShare } from '../sharing/report-share.js';
import type { ReportStore, StoredReport } from './port.js';

const DAY = '2026-01-02T00:00:00.000Z';
const LATER = '2026-01-03T00:00:00.000Z';
const END = '2026-02-01T00:00:00.000Z';

export function reportShare(n: number, reportId: string, accountId: string): ReportShare {
  return {
    ...{
      id: `s${n}`,
      accountId,
      reportId,
      form: 'package',
      note: null,
      createdBy: { id: 'u', email: 'ana@example.com' },
    },
    ...{ createdAt: `2026-01-02T00:00:0${n}.000Z`, expiresAt: END, revokedAt: null },
    ...{ tokenSha256: String(n).repeat(64), fetches: 0, log: [] },
  };
}

/** Links to reports. @param report makes one that can be stored */
export function shareCases(
  storeOf: () => ReportStore,
  report: (id: string, accountId: string, createdAt: string) => StoredReport,
): void {
  const token = (n: number): string => reportShare(n, '', '').tokenSha256;
  const fetchAt = (at: string): { at: string; address: string } => ({ at, address: '192.0.2.7' });

  it('adds links to reports of their account alone, and none to one that was withdrawn', async () => {
    const store = storeOf();
    await store.addReport(report('r1', 'a', DAY));
    const { version, facts, ...rest } = report('r2', 'a', DAY);
    await store.addReport({ ...rest, version, facts: { ...facts, withdrawn: 'erased' } });
    expect(await store.addShare(reportShare(1, 'r1', 'b'), 9)).toBe('withdrawn');
    expect(await store.addShare(reportShare(1, 'r2', 'a'), 9)).toBe('withdrawn');
    expect(await store.addShare(reportShare(1, 'r3', 'a'), 9)).toBe('withdrawn');
    expect(await store.addShare(reportShare(1, 'r1', 'a'), 9)).toBe('added');
    expect(await store.shares('b', 'r1', 9, 0)).toEqual({ shares: [], total: 0 });
    expect(await store.shares('a', 'r1', 9, 0)).toEqual({ shares: [reportShare(1, 'r1', 'a')], total: 1 });
  });

  it('adds no more links than may be valid, also of those that are asked for at once', async () => {
    const store = storeOf();
    await store.addReport(report('r1', 'a', DAY));
    await store.addReport(report('r2', 'a', DAY));
    const added = await Promise.all([1, 2, 3, 4].map((n) => store.addShare(reportShare(n, 'r1', 'a'), 2)));
    expect(added.filter((one) => one === 'added')).toHaveLength(2);
    expect(await store.addShare(reportShare(5, 'r2', 'a'), 2)).toBe('added');
    const [{ id }] = (await store.shares('a', 'r1', 1, 0)).shares as [ReportShare];
    expect(await store.revokeShare('a', 'r1', id, LATER)).toBe(true);
    expect(await store.addShare({ ...reportShare(6, 'r1', 'a'), expiresAt: LATER }, 2)).toBe('added');
    expect(await store.addShare(reportShare(7, 'r1', 'a'), 2)).toBe('full');
    // One has ended.
    expect(await store.addShare({ ...reportShare(8, 'r1', 'a'), createdAt: LATER }, 2)).toBe('added');
    expect(await store.unrevokedShares()).toBe(4);
  });

  it('counts each fetch of a valid link, and keeps the newest with it, also over a restart', async () => {
    const store = storeOf();
    await store.addReport(report('r1', 'a', DAY));
    await store.addShare(reportShare(1, 'r1', 'a'), 9);
    expect(await store.fetchShare(token(2), fetchAt(LATER))).toBeNull();
    expect(await store.fetchShare(token(1), fetchAt(END))).toBeNull();
    expect(await store.findShare(token(2))).toBeNull();
    const found = await store.findShare(token(1));
    expect([found?.share, found?.report.id]).toEqual([reportShare(1, 'r1', 'a'), 'r1']);
    const fetched = await store.fetchShare(token(1), fetchAt(DAY));
    expect([fetched?.share.fetches, fetched?.report.id]).toEqual([1, 'r1']);
    await Promise.all(Array.from({ length: 5 }, () => store.fetchShare(token(1), fetchAt(DAY))));
    for (let n = 6; n <= KEPT_FETCHES; n += 1) await store.fetchShare(token(1), fetchAt(LATER));
    const [{ fetches, log }] = (await store.shares('a', 'r1', 1, 0)).shares as [ReportShare];
    expect([fetches, log.length, log[0], log.at(-1)?.at]).toEqual([101, KEPT_FETCHES, fetchAt(LATER), DAY]);
  });

  it('publishes who made and who revoked a link with the change, and nothing where none is made or revoked', async () => {
    const store = storeOf();
    const act = (value: string) => [{ topic: 'agent-events', key: 'people', value }] as const;
    await store.addReport(report('r1', 'a', DAY));
    expect(await store.addShare(reportShare(1, 'r1', 'a'), 1, act('shared'))).toBe('added');
    expect(await store.addShare(reportShare(2, 'r1', 'a'), 1, act('full'))).toBe('full');
    expect(await store.addShare(reportShare(3, 'r2', 'a'), 1, act('of none'))).toBe('withdrawn');
    expect(await store.revokeShare('b', 'r1', 's1', DAY, act('by another'))).toBe(false);
    expect(await store.revokeShare('a', 'r1', 's1', DAY, act('revoked'))).toBe(true);
    expect(await store.revokeShare('a', 'r1', 's1', LATER, act('revoked again'))).toBe(true);
    const acts = (await store.pending(99)).filter(({ record }) => record.key === 'people');
    expect(acts.map(({ record }) => record.value)).toEqual(['shared', 'revoked']);
  });

  it('fetches nothing by a link that was revoked, or whose report was withdrawn', async () => {
    const store = storeOf();
    const stored = report('r1', 'a', DAY);
    await store.addReport(stored);
    await store.addShare(reportShare(1, 'r1', 'a'), 9);
    await store.addShare(reportShare(2, 'r1', 'a'), 9);
    expect(await store.revokeShare('b', 'r1', 's1', DAY)).toBe(false);
    expect(await store.revokeShare('a', 'r2', 's1', DAY)).toBe(false);
    expect(await store.revokeShare('a', 'r1', 's9', DAY)).toBe(false);
    expect(await store.revokeShare('a', 'r1', 's1', DAY)).toBe(true);
    expect(await store.revokeShare('a', 'r1', 's1', LATER)).toBe(true);
    expect([await store.findShare(token(1)), (await store.findShare(token(2)))?.share.id]).toEqual([null, 's2']);
    expect(await store.fetchShare(token(1), fetchAt(LATER))).toBeNull();
    expect(await store.fetchShare(token(2), fetchAt(LATER))).not.toBeNull();
    await store.updateReport({ ...stored, version: 2, facts: { ...stored.facts, withdrawn: 'erased' } });
    expect(await store.fetchShare(token(2), fetchAt(LATER))).toBeNull();
    expect(await store.findShare(token(2))).toBeNull();
    const { shares } = await store.shares('a', 'r1', 9, 0);
    expect(shares.map(({ id, revokedAt, fetches }) => [id, revokedAt, fetches])).toEqual([
      ['s2', null, 1],
      ['s1', DAY, 0],
    ]);
  });

  it('revokes the links of all accounts, each once, whatever their end', async () => {
    const store = storeOf();
    await store.addReport(report('r1', 'a', DAY));
    await store.addReport(report('r2', 'b', DAY));
    await store.addShare(reportShare(1, 'r1', 'a'), 9);
    await store.addShare(reportShare(2, 'r2', 'b'), 9);
    await store.addShare({ ...reportShare(3, 'r2', 'b'), expiresAt: LATER }, 9);
    await store.revokeShare('a', 'r1', 's1', DAY);
    expect(await store.unrevokedShares()).toBe(2);
    expect([await store.revokeEveryShare(LATER), await store.revokeEveryShare(LATER)]).toEqual([2, 0]);
    expect((await store.shares('a', 'r1', 9, 0)).shares[0]?.revokedAt).toBe(DAY);
    expect((await store.shares('b', 'r2', 9, 0)).shares.map(({ revokedAt }) => revokedAt)).toEqual([LATER, LATER]);
    expect(await store.fetchShare(token(2), fetchAt(LATER))).toBeNull();
  });
}
