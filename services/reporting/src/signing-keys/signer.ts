import { verifyEd25519, type EvidenceCrypto } from '@countersign/evidence';
import { HttpRefusal } from '@countersign/http-edge';

/** Signs packages. Verifiers look up `keyId` and `publicKey`. */
export interface Signer {
  readonly keyId: string;
  /** Raw Ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array;
  /**
   * 64 bytes over `message` (RFC 8032).
   * @throws SignerUnavailable if it cannot sign now
   */
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>;
}

/** Storage of private keys. */
export interface KeyCustody {
  /** Creates a key that is durable once it resolves; returns its raw public half. */
  create(): Promise<Uint8Array>;
  /** @throws SigningKeyMissing, SigningKeyDamaged, SigningKeyLocked, SignerUnavailable if it does not have the key */
  signer(keyId: string): Promise<Signer>;
}

/** Nothing can be signed now: an export gets 503, and nothing of it is stored. `cause` has the reason, for the log. */
export class SignerUnavailable extends HttpRefusal {
  constructor(message: string, why: string) {
    super(503, message, { 'retry-after': '5' });
    this.cause = why;
  }
}

/** The external signer gave an invalid answer: it is another service, or misconfigured. Contains no secret. */
export class SignerRefused extends Error {
  override readonly name = 'SignerRefused';
}

/** The same signer with its signatures verified before they are used. */
export function checked(signer: Signer, crypto: Pick<EvidenceCrypto, 'ed25519Verify'>): Signer {
  const { keyId, publicKey } = signer;
  return {
    keyId,
    publicKey,
    async sign(message) {
      const signature = await signer.sign(message);
      if (!verifyEd25519(publicKey, message, signature, crypto.ed25519Verify)) {
        throw new SignerUnavailable('the report could not be signed: try again', `a wrong signature came for ${keyId}`);
      }
      return signature;
    },
  };
}
