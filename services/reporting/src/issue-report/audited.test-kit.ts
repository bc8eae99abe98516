import type { PackageAudit } from '@countersign/contracts';

/** Subject and preparer of the packages in tests. */
export const AUDIT: PackageAudit = {
  organisation: 'Example Bank plc',
  system: 'Customer service',
  environment: 'production',
  preparedBy: { id: '0198a1b2-0000-4000-8000-000000000002', name: 'ana@example.com' },
  mappingReview: null,
};
