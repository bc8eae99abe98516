import type { SigningKeyFacts } from '@countersign/contracts';

/** A signing key as whoever operates the installation sees it: public facts, and where the private half is. */
export interface ListedSigningKey {
  readonly id: string;
  readonly status: SigningKeyFacts['status'];
  /** ISO 8601; it is valid from `validFrom` on and before `validTo`. */
  readonly validFrom: string | null;
  readonly validTo: string | null;
  /**
   * A file in the folder of keys, the external signer, or nowhere: it verifies, and signs no more. `missing`: it is in
   * use, and its private half cannot be had where it was kept.
   */
  readonly custody: 'file' | 'signer' | 'none' | 'missing';
  /** Why it was revoked; `null` for every other key. */
  readonly revokedFor: string | null;
}

export interface SigningKeyChange {
  /** The key that was made, that signs from now on, or that was revoked. */
  readonly keyId: string;
  /** All keys as they are after it, oldest first. */
  readonly keys: readonly ListedSigningKey[];
}

/**
 * Provided by reporting to whoever operates the installation. A change is durable and told to verifiers once it resolves;
 * each rejects with the reason where it cannot be made, and then nothing has changed, or where it was made and cannot be
 * told now: the reason says so, and it is told later.
 */
export interface SigningKeyOperator {
  /** Oldest first. */
  list(): Promise<readonly ListedSigningKey[]>;
  /** Makes a key and publishes it; it signs nothing before a rotation. */
  create(): Promise<SigningKeyChange>;
  /**
   * Signs with another key from now on: the named one, else the one that waits longest, else a new one, which is published
   * first. The one that signed is retired, and verifies what it signed until then.
   */
  rotate(keyId: string | null): Promise<SigningKeyChange>;
  /** Nothing that it signed verifies any more. Where it signs, a published key takes its place, or exports are refused. */
  revoke(keyId: string, reason: string): Promise<SigningKeyChange>;
}
