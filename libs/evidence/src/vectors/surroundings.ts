import type { AnchorAuthority } from '@countersign/contracts';
import type { AuthorityWalk, ChainAnswer, VerificationKey } from '../verify/options.js';

export interface VectorKey extends Omit<VerificationKey, 'publicKey'> {
  readonly pem: string;
}

export interface VectorChain {
  readonly network: string;
  readonly authorities: readonly AnchorAuthority[] | null;
  readonly transactions: Readonly<Record<string, ChainAnswer>>;
  /** The authorities' listed transactions; omitted: not read. */
  readonly walks?: readonly AuthorityWalk[];
}

/** Input of a verification that a chain case may change. */
export interface Surroundings {
  key: VectorKey;
  withoutKey: boolean;
  authorities: AnchorAuthority[] | null;
  network: string;
  transactions: Record<string, ChainAnswer>;
  walks?: AuthorityWalk[] | undefined;
  absences?: unknown[];
}
