import { caseFailureText } from '@countersign/policy/policy-files';
import type { CaseFailure } from '@countersign/policy/policy-files';
import { oneLine } from '../verify-file/describe-package.js';

/** Results of the cases of one file. */
export interface TestedFile {
  readonly file: string;
  readonly cases: number;
  readonly failures: readonly CaseFailure[];
  /** Warnings about entries of the policy without effect. */
  readonly warnings: readonly string[];
}

/** A line for each warning and each failing case, and the totals. */
export function casesText(tested: readonly TestedFile[]): string {
  const lines = tested.flatMap(({ file, failures, warnings }) => [
    ...warnings.map((warning) => `WARN ${file}: ${warning}`),
    ...failures.map((failure) => `FAIL ${file}: ${caseFailureText(failure)}`),
  ]);
  const { cases, failed } = sumOf(tested);
  const files = `${tested.length} ${tested.length === 1 ? 'file' : 'files'}`;
  const sum = `${cases} ${cases === 1 ? 'case' : 'cases'} in ${files}: ${cases - failed} passed, ${failed} failed`;
  return `${[...lines, sum].map(oneLine).join('\n')}\n`;
}

export function sumOf(tested: readonly TestedFile[]): { readonly cases: number; readonly failed: number } {
  return {
    cases: tested.reduce((sum, { cases }) => sum + cases, 0),
    failed: tested.reduce((sum, { failures }) => sum + failures.length, 0),
  };
}
