import type { PackageMappingRow } from '@countersign/contracts';
import type { ProblemCode } from '../verify/result.js';
import type { Loose } from './tampered.js';

/** A package that says who and what it is about, changed and signed again or not. */
export interface AuditCase {
  readonly name: string;
  readonly description: string;
  readonly change: (pkg: Loose) => void;
  readonly expected: ProblemCode | null;
  /** Signed after the change. */
  readonly signed: boolean;
}

/** Adds the members to a package that was issued without them. */
export function nameAudit(pkg: Loose): void {
  const rows = new Map<string, PackageMappingRow>();
  for (const { controls } of pkg.events) {
    for (const { framework, controlId, relation } of controls)
      rows.set(`${framework}/${controlId}/${relation}`, {
        framework,
        controlId,
        relation,
        rationale: 'The event shows a part of it.',
        source: { edition: 'an edition', url: 'https://framework.example/' },
      });
  }
  pkg.mappingRows = [...rows.values()];
  pkg.audit = {
    organisation: 'Example Bank plc',
    system: null,
    environment: 'production',
    preparedBy: { id: '0198a1b2-0000-4000-8000-000000000002', name: 'ana@example.com' },
    mappingReview: { by: 'An Auditor LLP', on: '2026-11-20' },
  };
}

/** Adds a statement on three checks, of which one is withheld. */
function stateTotals(pkg: Loose, same: number): void {
  pkg.redecision = {
    rule: 'countersign/redecide/1',
    engine: { engine: '1', detectors: '1' },
    totals: {
      ...{ checks: 3, same, different: 0, withheld: 1, erased: 0, not_checked: 0, otherEngine: 0 },
      ...{ agents: 1, continuous: 0, broken: 1, missing: 0 },
    },
    breaks: [{ agentId: '0198a1b2-0000-4000-8000-000000000002', sequence: 2, balance: 'rate' }],
  };
}

const signed = (
  name: string,
  expected: ProblemCode | null,
  description: string,
  change: AuditCase['change'],
): AuditCase => ({
  ...{ name, description, expected, signed: true },
  change,
});
const unsigned = (name: string, description: string, change: AuditCase['change']): AuditCase => ({
  ...{ name, description, expected: 'signature-invalid', signed: false },
  change,
});

export const AUDIT_CASES: readonly AuditCase[] = [
  signed('valid', null, 'Names organisation, preparer and the rows of its mapping.', () => undefined),
  signed('not-reviewed', null, 'Its mapping was not reviewed.', (pkg) => (pkg.audit.mappingReview = null)),
  signed('audit-alone', null, 'Has no rows of its mapping.', (pkg) => delete pkg.mappingRows),
  signed('no-organisation', 'structure', 'Names no organisation.', (pkg) => delete pkg.audit.organisation),
  signed('no-preparer', 'structure', 'Names no preparer.', (pkg) => (pkg.audit.preparedBy = null)),
  signed('review-no-date', 'structure', 'A review without a date.', (pkg) => delete pkg.audit.mappingReview.on),
  signed('audit-list', 'structure', 'A list instead of its object.', (pkg) => (pkg.audit = [])),
  signed('row-no-rationale', 'structure', 'A row without a rationale.', (pkg) => delete pkg.mappingRows[0].rationale),
  signed('row-no-source', 'structure', 'A row without a source.', (pkg) => (pkg.mappingRows[0].source = null)),
  signed('row-relation', 'structure', 'A row with a relation that does not exist.', (pkg) => {
    pkg.mappingRows[0].relation = 'full';
  }),
  signed('row-left-out', 'structure', 'A control of an event has no row.', (pkg) => pkg.mappingRows.shift()),
  signed('row-twice', 'structure', 'A control has two rows.', (pkg) => pkg.mappingRows.push(pkg.mappingRows[0])),
  signed('totals-valid', null, 'States its verdicts as they were computed again.', (pkg) => stateTotals(pkg, 2)),
  signed('totals-sum', 'structure', 'Its verdicts do not add up to its checks.', (pkg) => stateTotals(pkg, 1)),
  unsigned('organisation-changed', 'Another organisation.', (pkg) => (pkg.audit.organisation = 'Another Bank plc')),
  unsigned('preparer-changed', 'Another preparer.', (pkg) => (pkg.audit.preparedBy.name = 'ben@example.com')),
  unsigned('review-claimed', 'Another reviewer.', (pkg) => (pkg.audit.mappingReview.by = 'Another Auditor LLP')),
  unsigned('rationale-changed', 'Another rationale.', (pkg) => (pkg.mappingRows[0].rationale = 'It is certified.')),
];
