import type { ComplianceScope, PackageAudit } from '@countersign/contracts';

/** Who asked for a report, and in whose name. */
export interface Preparer {
  readonly accountName: string;
  readonly userId: string;
  readonly email: string;
}

/**
 * The subject of a report and its preparer, for its first page. An undeclared organisation is the name of the
 * account; a declared review of another version of the mapping is none of this one.
 */
export function auditOf(preparer: Preparer, scope: ComplianceScope, mappingVersion: string): PackageAudit {
  const { audited, mappingReview } = scope;
  return {
    organisation: audited?.organisation ?? preparer.accountName,
    system: audited?.system ?? null,
    environment: audited?.environment ?? null,
    preparedBy: { id: preparer.userId, name: preparer.email },
    mappingReview:
      mappingReview?.mappingVersion === mappingVersion ? { by: mappingReview.by, on: mappingReview.on } : null,
  };
}
