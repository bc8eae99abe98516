import type { AbsenceResult, PdfPages, SeriesResult, VerificationResult } from '@countersign/evidence';
import type { Redecision } from '@countersign/redecide';
import type { SeriesRedecision } from './redecide-series.js';

export interface VerifyReport {
  readonly exitCode: number;
  /** `null`: the file is none of a package, a series and a proof of absence. */
  readonly result: VerificationResult | AbsenceResult | SeriesResult | null;
  /** Facts of the package for the reader, unverified where `result` says so. */
  readonly title: readonly string[];
  readonly notChecked: readonly string[];
  /** One line each, the most important problem first. */
  readonly problems: readonly string[];
  /** Where it was asked for; `null`: its events or openings are not what they claim to be. */
  readonly redecision?: Redecision | null;
  /** Of a series, where it was asked for and packages were given. */
  readonly seriesRedecision?: SeriesRedecision;
}

export type PackageReport = VerifyReport & { readonly result: VerificationResult };

/** Adds the result for the pages; their problems come first, since the pages are what a reader sees. */
export function withPages<R extends VerificationResult | SeriesResult>(result: R, pages: PdfPages): R {
  const { problems } = pages;
  return {
    ...result,
    ok: result.ok && problems.length === 0,
    checked: [...result.checked, ...pages.checked],
    notChecked: [...result.notChecked, ...pages.notChecked],
    problems: [...problems, ...result.problems],
    problemCount: result.problemCount + problems.length,
  };
}

/** One line each. */
export function problemLines(problems: VerificationResult['problems'], whole: string): readonly string[] {
  return problems.map(({ code, path, message }) => `${path === '' ? whole : path}: ${message} [${code}]`);
}
