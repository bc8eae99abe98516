import type { SigningKeyFacts } from '@countersign/contracts';

/** A signing key as the operator of the installation sees it: public facts, and where its private half is. */
export interface ListedSigningKey {
  readonly id: string;
  readonly status: SigningKeyFacts['status'];
  /** ISO 8601; valid from `validFrom` (inclusive) to `validTo` (exclusive). */
  readonly validFrom: string | null;
  readonly validTo: string | null;
  /**
   * Where the private half is: in a file of the folder of keys, at the external signer, or nowhere (`none`: it verifies and
   * signs no more). `missing`: it is in use, and its private half is not where it was kept.
   */
  readonly custody: 'file' | 'signer' | 'none' | 'missing';
  /** Reason of the revocation; `null` if it is not revoked. */
  readonly revokedFor: string | null;
}

export interface SigningKeyChange {
  /** The key that was created, that signs from now on, or that was revoked. */
  readonly keyId: string;
  /** All keys after the change, oldest first. */
  readonly keys: readonly ListedSigningKey[];
}

/**
 * Provided by reporting for the operator of the installation. A change is durable and published to verifiers once it
 * resolves. It rejects with the reason if it cannot be made, and nothing has changed, or if it was made and cannot be
 * published now: the reason says so, and it is published later.
 */
export interface SigningKeyOperator {
  /** Oldest first. */
  list(): Promise<readonly ListedSigningKey[]>;
  /** Creates a key and publishes it; it signs nothing before a rotation. */
  create(): Promise<SigningKeyChange>;
  /**
   * Signs with another key from now on: the named one, else the oldest that waits, else a new one, which is published
   * first. The previous key is retired; what it signed still verifies.
   */
  rotate(keyId: string | null): Promise<SigningKeyChange>;
  /** Revokes a key: nothing that it signed verifies any more. If it signs, a published key replaces it, or exports are refused. */
  revoke(keyId: string, reason: string): Promise<SigningKeyChange>;
}
