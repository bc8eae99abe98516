import { createHash } from 'node:crypto';
import type { ReportFacts } from '@countersign/contracts';
import type { StoredReport } from '@countersign/reporting';
import { checkReports, type Packages } from './check-reports.js';
import type { Check } from './report.js';

const PDF = Buffer.from('%PDF-1.7 …');
const PDF_SHA256 = createHash('sha256').update(PDF).digest('hex');
const PACKAGE = 'ab'.repeat(32);

/** Findings of the PDF of one report, besides those of its package. */
async function problems(
  facts: Partial<ReportFacts>,
  stored: Readonly<Record<string, Buffer | null>>,
): Promise<string[]> {
  const report = { id: 'r', facts: { sha256: PACKAGE, withdrawn: null, ...facts } } as unknown as StoredReport;
  const reports = {
    async *reports() {
      yield report;
    },
  };
  const packages: Packages = { has: (name) => name in stored, read: (name) => stored[name] ?? null };
  const found: string[] = [];
  const check = { examined: 0, wrong: (where: string, problem: string) => found.push(`${where}: ${problem}`) };
  await checkReports(packages, reports, { keys: [], ledger: null, authorities: [] }, check as unknown as Check);
  return found.filter((one) => one.includes('.pdf'));
}

describe('the PDF of a report', () => {
  it('is there with the bytes that were issued', async () => {
    expect(await problems({ pdfSha256: PDF_SHA256 }, { [`${PDF_SHA256}.pdf`]: PDF })).toEqual([]);
    expect(await problems({ pdfSha256: null }, {})).toEqual([]);
  });

  it.each([
    ['it is gone', {}, null, 'the PDF is missing'],
    ['its bytes changed', { [`${PDF_SHA256}.pdf`]: Buffer.from('other') }, null, 'its bytes are not those'],
    ['it is too large', { [`${PDF_SHA256}.pdf`]: null }, null, 'larger than any PDF'],
    ['its report was withdrawn', { [`${PDF_SHA256}.pdf`]: PDF }, 'erased', 'its PDF is still there'],
  ])('is found wrong where %s', async (_what, stored, withdrawn, words) => {
    const [problem, ...more] = await problems({ pdfSha256: PDF_SHA256, withdrawn }, stored);
    expect(problem).toContain(words);
    expect(problem).toContain(`reporting/packages/${PDF_SHA256}.pdf (report r)`);
    expect(more).toEqual([]);
  });
});
