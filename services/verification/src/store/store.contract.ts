import type { ReportFacts, SigningKeyFacts } from '@countersign/contracts';
import { StoreFellBack } from '@countersign/event-log';
import type { AuthorityFacts, PublicFact, PublicFacts, RegisteredAgent, ReportAnchorFacts } from './port.js';

/** How one adapter is opened; each test begins with nothing kept. */
export interface FactsHarness {
  open(): Promise<PublicFacts>;
  /** Closes and opens again what was kept. */
  reopen(facts: PublicFacts): Promise<PublicFacts>;
  /** Forgets what was kept; after `close`. */
  clean(): Promise<void>;
}

export const KEY: SigningKeyFacts = { publicKeyHex: 'ab'.repeat(32), status: 'active', validFrom: null, validTo: null };
const REPORT: ReportFacts = {
  accountId: 'a',
  createdAt: '2026-01-01T00:00:00.000Z',
  format: 'json',
  frameworks: ['soc2'],
  public: false,
  sha256: 'cd'.repeat(32),
  contentHash: 'ef'.repeat(32),
  signature: 'c2ln',
  keyId: 'key_0123456789abcdef',
  pdfSha256: null,
  withdrawn: null,
};

export const DRAWN: ReportFacts = { ...REPORT, format: 'pdf', pdfSha256: '12'.repeat(32) };

export const ANCHOR: ReportAnchorFacts = {
  kind: 'report',
  reportId: 'r1',
  contentHash: REPORT.contentHash,
  network: 'solana:localnet',
  txSignature: '5'.repeat(88),
  blockHeight: 7,
  slot: 8,
  anchoredAt: '2026-01-01T00:00:01.000Z',
  authority: 'A'.repeat(44),
};
const AUTHORITY: AuthorityFacts = {
  kind: 'authority',
  address: 'A'.repeat(44),
  network: 'solana:localnet',
  validFrom: null,
  validTo: null,
};

export const AGENT: RegisteredAgent = {
  ssn: 'CSN-0000-0000-0000-0000',
  type: 'support',
  status: 'active',
  walletAddress: 'W'.repeat(44),
  createdAt: '2026-01-01T00:00:00.000Z',
  registeredAt: '2026-01-02T00:00:00.000Z',
};

/** Contract of {@link PublicFacts}, for every adapter. */
export function publicFactsContract(name: string, harness: FactsHarness): void {
  describe(`public facts: ${name}`, () => {
    let facts: PublicFacts;
    beforeEach(async () => {
      facts = await harness.open();
    });
    afterEach(async () => {
      await facts.close();
      await harness.clean();
    });

    it('keeps facts and position together, also over a restart', async () => {
      expect(await facts.position('signing-keys', 0)).toBeNull();
      await facts.keep([{ kind: 'key', id: 'key_1', version: 1, value: KEY }], 'signing-keys', 0, 5);
      facts = await harness.reopen(facts);
      expect(await facts.position('signing-keys', 0)).toBe(5);
      expect(await facts.position('reports', 0)).toBeNull();
      expect(await facts.key('key_1')).toEqual(KEY);
      expect(await facts.keys()).toEqual([{ id: 'key_1', facts: KEY }]);
    });

    it('refuses a batch that begins past its position: it has lost what it had acknowledged', async () => {
      await facts.keep([], 'signing-keys', 0, 5, 0);
      const fact = { kind: 'key', id: 'key_1', version: 1, value: KEY } as const;
      await expect(facts.keep([fact], 'signing-keys', 0, 9, 6)).rejects.toThrow(StoreFellBack);
      expect(await facts.position('signing-keys', 0)).toBe(5);
      expect(await facts.key('key_1')).toBeNull();
    });

    it('ignores a version that is not above the one it has, within a batch and between batches', async () => {
      const revoked = { ...KEY, status: 'revoked' } as const;
      const batch = [
        { kind: 'key', id: 'key_1', version: 2, value: revoked },
        { kind: 'key', id: 'key_1', version: 1, value: KEY },
      ] as const;
      await facts.keep(batch, 'signing-keys', 0, 1);
      await facts.keep([{ kind: 'key', id: 'key_1', version: 1, value: KEY }], 'signing-keys', 0, 2);
      expect((await facts.key('key_1'))?.status).toBe('revoked');
      expect(await facts.position('signing-keys', 0)).toBe(2);
    });

    it('changes nothing when a batch comes again, or late from who lost the partition', async () => {
      const revoked = { ...KEY, status: 'revoked' } as const;
      await facts.keep([{ kind: 'key', id: 'key_1', version: 1, value: KEY }], 'signing-keys', 0, 5);
      await facts.keep([{ kind: 'key', id: 'key_1', version: 2, value: revoked }], 'signing-keys', 0, 9);
      await facts.keep([{ kind: 'key', id: 'key_1', version: 1, value: KEY }], 'signing-keys', 0, 5);
      expect(await facts.keys()).toEqual([{ id: 'key_1', facts: revoked }]);
      expect(await facts.position('signing-keys', 0)).toBe(9);
    });

    it('ends at the newest version when many write at once', async () => {
      const versions = Array.from({ length: 12 }, (_, i) => i + 1);
      await Promise.all(
        versions.map((version) => {
          const value = { ...KEY, validFrom: `2026-01-${10 + version}T00:00:00.000Z` };
          return facts.keep([{ kind: 'key', id: 'key_1', version, value }], 'signing-keys', version, version);
        }),
      );
      expect((await facts.key('key_1'))?.validFrom).toBe('2026-01-22T00:00:00.000Z');
    });

    it('forgets what is gone', async () => {
      await facts.keep([{ kind: 'key', id: 'key_1', version: 1, value: KEY }], 'signing-keys', 0, 1);
      await facts.keep([{ kind: 'key', id: 'key_1', version: 2, value: null }], 'signing-keys', 0, 2);
      expect(await facts.key('key_1')).toBeNull();
      expect(await facts.keys()).toEqual([]);
      await facts.keep([{ kind: 'report', id: 'r1', version: 1, value: REPORT }], 'reports', 0, 1);
      await facts.keep([{ kind: 'report', id: 'r1', version: 2, value: null }], 'reports', 0, 2);
      expect(await facts.reportBySha256(REPORT.sha256)).toBeNull();
    });

    it('finds a report by the hash of its PDF, where it has one, over changes and restarts', async () => {
      const drawn = DRAWN;
      await facts.keep([{ kind: 'report', id: 'r1', version: 1, value: REPORT }], 'reports', 0, 1);
      await facts.keep([{ kind: 'report', id: 'r2', version: 1, value: drawn }], 'reports', 1, 1);
      expect(await facts.reportByPdfSha256('12'.repeat(32))).toEqual({ id: 'r2', facts: drawn });
      expect(await facts.reportByPdfSha256(REPORT.sha256)).toBeNull();
      await facts.keep([{ kind: 'report', id: 'r2', version: 2, value: { ...drawn, public: true } }], 'reports', 1, 2);
      facts = await harness.reopen(facts);
      expect((await facts.reportByPdfSha256('12'.repeat(32)))?.facts.public).toBe(true);
      await facts.keep([{ kind: 'report', id: 'r2', version: 3, value: null }], 'reports', 1, 3);
      expect(await facts.reportByPdfSha256('12'.repeat(32))).toBeNull();
    });

    it('finds a report by the hash of its package, and its anchor and the authorities by theirs', async () => {
      const anchor: PublicFact = { kind: 'report-anchor', id: 'r1', version: 1, value: ANCHOR };
      const authority: PublicFact = { kind: 'authority', id: AUTHORITY.address, version: 1, value: AUTHORITY };
      await facts.keep([{ kind: 'report', id: 'r1', version: 1, value: REPORT }], 'reports', 0, 1);
      await facts.keep([anchor, authority], 'anchors', 3, 1);
      expect(await facts.reportBySha256(REPORT.sha256)).toEqual({ id: 'r1', facts: REPORT });
      expect(await facts.reportBySha256(REPORT.contentHash)).toBeNull();
      expect(await facts.reportAnchor('r1')).toEqual(ANCHOR);
      expect(await facts.reportAnchor('r2')).toBeNull();
      expect(await facts.authorities()).toEqual([AUTHORITY]);
    });

    it('finds a report by its id, as it is now', async () => {
      await facts.keep([{ kind: 'report', id: 'r1', version: 1, value: REPORT }], 'reports', 0, 1);
      expect(await facts.report('r1')).toEqual(REPORT);
      expect(await facts.report('r2')).toBeNull();
      const withdrawn = { ...REPORT, public: true, withdrawn: 'erased' };
      await facts.keep([{ kind: 'report', id: 'r1', version: 2, value: withdrawn }], 'reports', 0, 2);
      expect(await facts.report('r1')).toEqual(withdrawn);
      expect(await facts.reportBySha256(REPORT.sha256)).toEqual({ id: 'r1', facts: withdrawn });
    });

    it('finds an agent by its SSN once it has one, over changes and restarts, and not after it is gone', async () => {
      const agent = (version: number, value: RegisteredAgent | null): PublicFact => {
        return { kind: 'agent', id: 'a1', version, value };
      };
      await facts.keep([agent(1, null)], 'agents', 2, 1);
      expect(await facts.agentBySsn(AGENT.ssn)).toBeNull();
      await facts.keep([agent(2, AGENT)], 'agents', 2, 2);
      expect(await facts.agentBySsn(AGENT.ssn)).toEqual({ id: 'a1', facts: AGENT });
      const inactive = { ...AGENT, status: 'inactive' } as const;
      await facts.keep([agent(4, inactive), agent(3, AGENT)], 'agents', 2, 4);
      facts = await harness.reopen(facts);
      expect(await facts.agentBySsn(AGENT.ssn)).toEqual({ id: 'a1', facts: inactive });
      expect(await facts.agentBySsn(AGENT.ssn.toLowerCase())).toBeNull();
      await facts.keep([agent(5, null)], 'agents', 2, 5);
      expect(await facts.agentBySsn(AGENT.ssn)).toBeNull();
    });

    it('keeps the newest head of an agent', async () => {
      const head = (checks: number): PublicFact => {
        return { kind: 'agent-head', id: 'a1', version: checks + 1, value: { lastSequence: checks + 1, checks } };
      };
      expect(await facts.agentHead('a1')).toBeNull();
      await facts.keep([head(4), head(9), head(7)], 'agent-heads', 0, 3);
      expect(await facts.agentHead('a1')).toEqual({ lastSequence: 10, checks: 9 });
      expect(await facts.agentHead('a2')).toBeNull();
    });
  });
}
