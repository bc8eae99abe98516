/** SHA-256 of `bytes`: 32 bytes, a new array on each call. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/**
 * RFC 8032 Ed25519 over `message`. MUST return `false`, not throw, for a signature that does not verify. It may be
 * lenient about encodings: {@link verifyEd25519} refuses the doubtful ones before it calls this.
 */
export type Ed25519Verify = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;

/** Cryptography that the platform provides: `node:crypto` in Node, a pure-JS library in browsers. Synchronous. */
export interface EvidenceCrypto {
  readonly sha256: Sha256;
  readonly ed25519Verify: Ed25519Verify;
}
