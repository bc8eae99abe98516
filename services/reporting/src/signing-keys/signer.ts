import { verifyEd25519, type EvidenceCrypto } from '@countersign/evidence';
import { HttpRefusal } from '@countersign/http-edge';

/** Signs packages. `keyId` and `publicKey` are what verifiers look up. */
export interface Signer {
  readonly keyId: string;
  /** Raw Ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array;
  /**
   * 64 bytes over `message` (RFC 8032).
   * @throws SignerUnavailable where nobody signs now
   */
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>;
}

/** Where private keys are kept. */
export interface KeyCustody {
  /** Makes a key that is kept once it resolves; gives its raw public half. */
  create(): Promise<Uint8Array>;
  /** @throws SigningKeyMissing, SigningKeyDamaged, SigningKeyLocked, SignerUnavailable where it has not the key */
  signer(keyId: string): Promise<Signer>;
}

/** Nothing can be signed now: an export gets 503, and nothing of it is stored. `cause` says why, for the log. */
export class SignerUnavailable extends HttpRefusal {
  constructor(message: string, why: string) {
    super(503, message, { 'retry-after': '5' });
    this.cause = why;
  }
}

/** The external signer answered what no signer may: it is another one, or not set up. Carries no secret. */
export class SignerRefused extends Error {
  override readonly name = 'SignerRefused';
}

/** The same signer, of which no signature gets out that does not verify. */
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
