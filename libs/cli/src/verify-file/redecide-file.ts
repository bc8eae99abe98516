import type { SignedPackage } from '@countersign/contracts';
import type { VerificationResult } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { isReadable, redecide, redecisionCode, type Redecision } from '@countersign/redecide';
import { EXIT } from '../exit-codes.js';

/** Re-decides a package that was verified; `null`: its events or openings are not what they claim to be. */
export function redecideVerified(pkg: unknown, result: VerificationResult): Redecision | null {
  return isReadable(result) ? redecide(pkg as SignedPackage, { sha256: nodeCrypto.sha256 }) : null;
}

/** The worse of two exit codes: something wrong, then something not checked. */
export function worseCode(verified: number, redecision: Redecision | null): number {
  const code = redecision === null ? EXIT.unchecked : redecisionCode(redecision);
  if (verified === EXIT.wrong || code === 1) return EXIT.wrong;
  return verified === EXIT.unchecked || code === 2 ? EXIT.unchecked : EXIT.holds;
}
