import { auditOf } from './audit.js';

const PREPARER = {
  accountName: 'Example Ltd',
  userId: '0198a1b2-0000-4000-8000-000000000002',
  email: 'ana@example.com',
};
const AUDITED = { organisation: 'Example Bank plc', system: 'Payments', environment: 'production' };

describe('the subject of a report', () => {
  it('is what the account declares', () => {
    expect(auditOf(PREPARER, { audited: AUDITED }, '2026.11.4')).toEqual({
      ...AUDITED,
      preparedBy: { id: PREPARER.userId, name: 'ana@example.com' },
      mappingReview: null,
    });
  });

  it('is the account where nothing is declared', () => {
    expect(auditOf(PREPARER, {}, '2026.11.4')).toMatchObject({
      organisation: 'Example Ltd',
      system: null,
      environment: null,
    });
  });

  it('names the reviewer of the mapping in force, and none of another version', () => {
    const mappingReview = { by: 'An Auditor LLP', on: '2026-11-20', mappingVersion: '2026.11.4' };
    expect(auditOf(PREPARER, { mappingReview }, '2026.11.4').mappingReview).toEqual({
      by: 'An Auditor LLP',
      on: '2026-11-20',
    });
    expect(auditOf(PREPARER, { mappingReview }, '2026.11.5').mappingReview).toBeNull();
  });
});
