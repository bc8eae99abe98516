import type { ReportFacts, SigningKeyFacts } from '@countersign/contracts';
import type { PublicFacts } from './port.js';

export interface OpenedFacts {
  readonly facts: PublicFacts;
  /** Closes and opens again what was kept. */
  reopen(): PublicFacts;
  cleanup(): void;
}

const KEY: SigningKeyFacts = { publicKeyHex: 'ab'.repeat(32), status: 'active', validFrom: null, validTo: null };
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

/** What every adapter of {@link PublicFacts} must do. */
export function publicFactsContract(name: string, open: () => OpenedFacts): void {
  describe(`public facts: ${name}`, () => {
    let opened: OpenedFacts;
    beforeEach(() => (opened = open()));
    afterEach(() => opened.cleanup());

    it('keeps facts and position together, also over a restart', () => {
      expect(opened.facts.position('signing-keys', 0)).toBeNull();
      opened.facts.keep([{ kind: 'key', id: 'key_1', version: 1, value: KEY }], 'signing-keys', 0, 5);
      const again = opened.reopen();
      expect(again.position('signing-keys', 0)).toBe(5);
      expect(again.position('reports', 0)).toBeNull();
      expect(again.key('key_1')).toEqual(KEY);
      expect(again.keys()).toEqual([{ id: 'key_1', facts: KEY }]);
    });

    it('ignores a version that is not above the one it has', () => {
      const { facts } = opened;
      facts.keep(
        [{ kind: 'key', id: 'key_1', version: 2, value: { ...KEY, status: 'revoked' } }],
        'signing-keys',
        0,
        1,
      );
      facts.keep([{ kind: 'key', id: 'key_1', version: 1, value: KEY }], 'signing-keys', 0, 2);
      expect(facts.key('key_1')?.status).toBe('revoked');
      expect(facts.position('signing-keys', 0)).toBe(2);
    });

    it('forgets what is gone', () => {
      const { facts } = opened;
      facts.keep([{ kind: 'key', id: 'key_1', version: 1, value: KEY }], 'signing-keys', 0, 1);
      facts.keep([{ kind: 'key', id: 'key_1', version: 2, value: null }], 'signing-keys', 0, 2);
      expect(facts.key('key_1')).toBeNull();
      expect(facts.keys()).toEqual([]);
    });

    it('finds a report by the hash of its package', () => {
      const { facts } = opened;
      facts.keep([{ kind: 'report', id: 'r1', version: 1, value: REPORT }], 'reports', 0, 1);
      expect(facts.reportBySha256(REPORT.sha256)).toEqual({ id: 'r1', facts: REPORT });
      expect(facts.reportBySha256(REPORT.contentHash)).toBeNull();
    });
  });
}
