import type { PackageRedecision, SignedPackage } from '@countersign/contracts';
import type { ReportFacts } from '../report-facts.js';
import { recomputedRows } from './recomputed.js';

const AGENT = '0198a1b2-0000-7000-8000-00000000000a';
const SAME: PackageRedecision = {
  rule: 'countersign/redecide/1',
  engine: { engine: '1', detectors: '1' },
  totals: {
    ...{ checks: 9, same: 9, different: 0, withheld: 0, erased: 0, not_checked: 0, otherEngine: 0 },
    ...{ agents: 1, continuous: 1, broken: 0, missing: 0 },
  },
  breaks: [],
};
const facts = { agents: [{ agent: { id: AGENT }, label: 'A1' }] } as unknown as ReportFacts;
const textOf = (rows: ReturnType<typeof recomputedRows>): string[] =>
  rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell : cell.text)).join(' | '));
const rowsOf = (redecision: PackageRedecision): string[] =>
  textOf(recomputedRows({ redecision } as unknown as SignedPackage, facts));

describe('the verdicts that were computed again, on the first page', () => {
  it('say nothing of a gap where all are the same', () => {
    const rows = rowsOf(SAME);
    expect(rows[0]).toBe('Verdicts that are the same | 9 | of 9 checks, computed again by countersign/redecide/1');
    expect(rows.join()).not.toContain('Gap');
  });

  it.each([
    [{ same: 8, different: 1 }, 'Verdicts that differ | 1 | Gap, review required'],
    [{ same: 6, withheld: 2, erased: 1 }, 'Verdicts not computed | 3 | Gap, review required: 2 withheld, 1 erased, 0'],
    [{ missing: 2 }, 'Checks between others that are missing | 2 | Gap, review required'],
  ])('are a gap where a verdict is not the same: %j', (totals, row) => {
    expect(rowsOf({ ...SAME, totals: { ...SAME.totals, ...totals } }).join('\n')).toContain(row);
  });

  it('name the event at which balances break', () => {
    const breaks = [{ agentId: AGENT, sequence: 9, balance: 'spent.day' }];
    const rows = rowsOf({ ...SAME, totals: { ...SAME.totals, continuous: 0, broken: 1 }, breaks });
    expect(rows.join('\n')).toContain('1 | Gap, review required: first: A1 at event 9 (spent.day)');
  });

  it('are a gap for a package that states none', () => {
    const summary = { allowed: 4, denied: 3, frozen: 2, capped: 1 };
    const rows = textOf(recomputedRows({ summary } as unknown as SignedPackage, facts));
    const words = 'not computed when this report was made, since this failed; run countersign verify --redecide';
    expect(rows).toEqual([`Verdicts not computed | 10 | Gap, review required: ${words}`]);
  });

  it('are left out for a package without checks', () => {
    const summary = { allowed: 0, denied: 0, frozen: 0, capped: 0 };
    expect(recomputedRows({ summary, events: [] } as unknown as SignedPackage, facts)).toEqual([]);
    expect(rowsOf({ ...SAME, totals: { ...SAME.totals, checks: 0, same: 0 } })).toEqual([]);
  });
});
