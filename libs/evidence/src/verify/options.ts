import type { AnchorAuthority } from '@countersign/contracts';
import type { EvidenceCrypto } from '../crypto.js';

/** A key that the verifier has from its own source, never from the package. */
export interface VerificationKey {
  /** Raw, 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly status: 'published' | 'active' | 'retired' | 'revoked';
  /** ISO times: valid from `validFrom` on and before `validTo`; `null` is open. */
  readonly validFrom: string | null;
  readonly validTo: string | null;
  /** Of a revoked key: when (ISO) and why. */
  readonly revocation?: { readonly at: string; readonly reason: string };
}

/** A transaction as a chain returned it. */
export interface ChainTransaction {
  readonly succeeded: boolean;
  /** At the `finalized` commitment. */
  readonly finalized: boolean;
  /** Addresses (base58) that signed it. */
  readonly signers: readonly string[];
  /** Texts of its Memo instructions. */
  readonly memos: readonly string[];
  /** ISO; `null` where the chain keeps none. */
  readonly blockTime: string | null;
  readonly blockHeight: number | null;
  readonly slot: number | null;
  readonly confirmations: number | null;
}

/** `not-found`: the chain answered that it has none. `unavailable`: no node answered. */
export type ChainAnswer = ChainTransaction | 'not-found' | 'unavailable';

/** A transaction that names an address, as a node lists it; the list does not say who signed it. */
export interface ListedTransaction {
  readonly signature: string;
  readonly succeeded: boolean;
  /** ISO; `null` where the node keeps none. */
  readonly blockTime: string | null;
  readonly memos: readonly string[];
}

/** The transactions of one authority on the queried network. */
export interface AuthorityWalk {
  readonly address: string;
  /** True if the list reaches from the newest transaction back to {@link walkBackTo}, or to the first of all. */
  readonly complete: boolean;
  /** Newest first. */
  readonly listed: readonly ListedTransaction[];
}

/** Look-ups made beforehand: verification itself makes none. {@link transactionsToAsk} names them. */
export interface ChainFacts {
  /** The queried network; what names another one is not checked. */
  readonly network: string;
  /** By transaction signature; a missing one was not looked up. */
  readonly transactions: ReadonlyMap<string, ChainAnswer>;
  /** Published authorities; `null`: none are given, so that who anchored is not checked. */
  readonly authorities: readonly AnchorAuthority[] | null;
  /** The authorities' transactions; omitted: not read. {@link transactionsOfWalk} names those to look up. */
  readonly walks?: readonly AuthorityWalk[];
}

export interface VerifyOptions {
  readonly crypto: EvidenceCrypto;
  /** `null`: integrity only, the issuer is not checked. */
  readonly keys: readonly VerificationKey[] | null;
  /** `null`: the chain was not queried. */
  readonly chain: ChainFacts | null;
  /** Proofs of absence, for the windows that a package does not list. */
  readonly absences?: readonly unknown[];
}
