import type { ReportStore, StoredReport } from './port.js';

export interface OpenedStore {
  readonly store: ReportStore;
  /** Closes and opens again what was written. */
  reopen(): ReportStore;
  cleanup(): void;
}

const SHA = 'ab'.repeat(32);

function report(id: string, accountId: string, createdAt: string): StoredReport {
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

/** What every adapter of {@link ReportStore} must do. */
export function reportStoreContract(name: string, open: () => OpenedStore): void {
  describe(`report store: ${name}`, () => {
    let opened: OpenedStore;
    beforeEach(() => (opened = open()));
    afterEach(() => opened.cleanup());

    it('keeps a report and tells the topic of it in the same step', async () => {
      const { store } = opened;
      store.addReport(report('r1', 'a', '2026-01-02T00:00:00.000Z'));
      expect(store.report('a', 'r1')?.facts.sha256).toBe(SHA);
      const [pending] = await store.pending(10);
      expect(pending?.record).toMatchObject({ topic: 'reports', key: 'r1' });
      expect(JSON.parse(pending!.record.value)).toMatchObject({ v: 1, id: 'r1', version: 1 });
      await store.sent([pending!.id]);
      expect(await store.pending(10)).toEqual([]);
    });

    it('shows a report to its own account alone', () => {
      const { store } = opened;
      store.addReport(report('r1', 'a', '2026-01-02T00:00:00.000Z'));
      expect(store.report('b', 'r1')).toBeNull();
      expect(store.reports('b', 10, 0)).toEqual({ reports: [], total: 0 });
    });

    it('lists newest first, by pages', () => {
      const { store } = opened;
      for (const day of [1, 3, 2]) store.addReport(report(`r${day}`, 'a', `2026-01-0${day}T00:00:00.000Z`));
      expect(store.reports('a', 2, 0).reports.map(({ id }) => id)).toEqual(['r3', 'r2']);
      expect(store.reports('a', 2, 2)).toMatchObject({ reports: [{ id: 'r1' }], total: 3 });
    });

    it('takes a newer version and never an older one', () => {
      const { store } = opened;
      const first = report('r1', 'a', '2026-01-02T00:00:00.000Z');
      store.addReport(first);
      store.updateReport({ ...first, version: 3, facts: { ...first.facts, public: true } });
      store.updateReport({ ...first, version: 2 });
      expect(store.report('a', 'r1')).toMatchObject({ version: 3, facts: { public: true } });
    });

    it('keeps scopes by account; undeclared is empty', () => {
      const { store } = opened;
      expect(store.scope('a')).toEqual({});
      store.putScope('a', { hipaa: { ephi: true } });
      expect(store.scope('a')).toEqual({ hipaa: { ephi: true } });
      expect(store.scope('b')).toEqual({});
    });

    it('keeps anchors and the position together, also over a restart', () => {
      const anchor = {
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
      const authority = { kind: 'authority', address: 'addr', network: 'n', validFrom: null, validTo: null } as const;
      expect(opened.store.anchorsPosition(0)).toBeNull();
      opened.store.keepAnchors([anchor, authority], 0, 7);
      const again = opened.reopen();
      expect(again.anchorsPosition(0)).toBe(7);
      expect(again.reportAnchor('r1')).toEqual(anchor);
      expect(again.reportAnchor('r2')).toBeNull();
      expect(again.authorities()).toEqual([authority]);
    });
  });
}
