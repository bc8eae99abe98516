import type { SignedPackage } from '@countersign/contracts';
import type { ProblemCode, VerificationResult } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { redecide, redecisionCode, type Redecision } from '@countersign/redecide';
import { EXIT } from '../exit-codes.js';

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

/** Re-decides a package that was verified; `null`: its events or openings are not what they claim to be. */
export function redecideVerified(pkg: unknown, { problems, problemCount }: VerificationResult): Redecision | null {
  if (problemCount > problems.length || problems.some(({ code }) => UNREADABLE.has(code))) return null;
  return redecide(pkg as SignedPackage, { sha256: nodeCrypto.sha256 });
}

/** The worse of two exit codes: something wrong, then something not checked. */
export function worseCode(verified: number, redecision: Redecision | null): number {
  const code = redecision === null ? EXIT.unchecked : redecisionCode(redecision);
  if (verified === EXIT.wrong || code === 1) return EXIT.wrong;
  return verified === EXIT.unchecked || code === 2 ? EXIT.unchecked : EXIT.holds;
}
