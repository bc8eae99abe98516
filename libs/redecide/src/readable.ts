import type { ProblemCode, VerificationResult } from '@countersign/evidence';

/** Problems by which events or openings are not what re-decision reads. */
const UNREADABLE: ReadonlySet<ProblemCode> = new Set([
  'unsupported-canonicalization',
  'unsupported-schema',
  'not-canonical',
  'structure',
  'leaf-invalid',
  'duplicate-event',
  'opening-inconsistent',
  'opening-wrong',
  'profile-differs',
]);

/** Reports whether a package that was verified may be re-decided: its leaves and openings have their forms, and open their commitments. */
export function isReadable({ problems, problemCount }: Pick<VerificationResult, 'problems' | 'problemCount'>): boolean {
  return problemCount === problems.length && !problems.some(({ code }) => UNREADABLE.has(code));
}
