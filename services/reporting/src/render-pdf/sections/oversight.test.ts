import { oversightOf } from '@countersign/evidence';
import type { PackageOversight } from '@countersign/contracts';
import { noApprovals, oversightRows } from './oversight.js';

const FIGURES = { approved: 2, denied: 0, medianMs: 90_000, under3s: 1 };
const SOME: PackageOversight = {
  totals: { requested: 4, earlier: 1, approved: 2, denied: 0, expired: 2, pending: 1 },
  consumed: 1,
  latency: { of: 2, medianMs: 2999, under3s: 1 },
  people: [{ by: 'ana', role: 'owner', shown: 2, ...FIGURES }],
  rules: [{ agentId: '0198a1b2-0000-7000-8000-00000000000a', rule: 'rules:wire', expired: 2, pending: 1, ...FIGURES }],
  notShown: { withheld: 1, erased: 2 },
};
const rowsOf = (oversight: PackageOversight): string =>
  oversightRows(oversight)
    .map((row) => row.map((cell) => (typeof cell === 'string' ? cell : cell.text)).join(' | '))
    .join('\n');

describe('human oversight in the report', () => {
  it('is one line where nothing waited for an approval', () => {
    expect(noApprovals(oversightOf([]))).toBe('No action in this report waited for an approval.');
    expect(noApprovals(SOME)).toBeNull();
  });

  it.each([
    'Requests for an approval | 4 | and 1 requested before the events of this report',
    'Expired without a decision | 2 | Gap, review required',
    'Median time to the decision | 3.0 s | of 2 decisions',
    'Decided in less than 3 s | 1 | of 2 decisions',
    'Rules that were never refused | 1 |',
    'Approvals without a shown person | 3 | 1 withheld, 2 erased',
  ])('says: %s', (row) => {
    expect(rowsOf(SOME)).toContain(row);
  });

  it('has no gap where every request was decided, and no rule without a refusal where one was refused', () => {
    const rules = SOME.rules.map((one) => ({ ...one, denied: 1 }));
    const rows = rowsOf({ ...SOME, totals: { ...SOME.totals, expired: 0 }, rules });
    expect(rows).not.toContain('Gap');
    expect(rows).toContain('Rules that were never refused | 0 |');
  });
});
