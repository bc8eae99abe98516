import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { accessRequestRoutes } from '@countersign/contracts';
import type { Config } from '@countersign/process';
import { deriveSecret } from '@countersign/process';

const ALGORITHM = 'EdDSA';
/** DER of an Ed25519 private key in PKCS #8 (RFC 8410, section 7) before its 32 bytes. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The claims of a `binding_token`: which denied evaluation an access request is about. Times are whole seconds. */
export interface DenialClaims {
  /** `context.evaluation_id` of the denial. */
  readonly evaluationId: string;
  /** The approval that the denied action waits for. */
  readonly approvalId: string;
  /** `context.access_request.expires_at`. */
  readonly expiresAt: string;
  /** Members of the context that the hash covers. */
  readonly contextMembers: readonly string[];
  readonly bindingHash: string;
}

/** Signs and verifies binding tokens (AuthZEN Access Request and Approval Profile, "Binding Token Integrity"). */
export interface DenialTokens {
  /** The same token for the same claims. @param issuedAtMs of the denial */
  sign(claims: DenialClaims, issuedAtMs: number): Promise<string>;
  /** Never throws. `expired`: it is a token of this installation whose time is over. */
  verify(token: string): Promise<DenialClaims | 'expired' | 'invalid'>;
  /** A JWK Set (RFC 7517) with the key that verifies the tokens. */
  keys(): { readonly keys: readonly object[] };
}

/**
 * Opens the tokens of the installation: every process derives the same Ed25519 key from the instance secret.
 * @throws ConfigurationError as `deriveSecret`
 */
export async function denialTokens(
  config: Pick<Config, 'dataDir' | 'instanceSecretFile'>,
  publicUrl: () => string,
  clock: () => number,
): Promise<DenialTokens> {
  const seed = await deriveSecret(config, 'access requests');
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key);
  const jwk = publicJwk(publicKey);
  const issuer = (): string => publicUrl().replace(/\/+$/, '');
  const audience = (): string => issuer() + accessRequestRoutes.requestAccess.path;
  return {
    sign: ({ evaluationId, approvalId, expiresAt, contextMembers, bindingHash }, issuedAtMs) =>
      new SignJWT({
        evaluation_id: evaluationId,
        approval: approvalId,
        denial_expires_at: expiresAt,
        binding_context_members: [...contextMembers],
        binding_hash: bindingHash,
      })
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: jwk.kid })
        .setIssuer(issuer())
        .setAudience(audience())
        .setJti(evaluationId)
        .setIssuedAt(Math.floor(issuedAtMs / 1000))
        .setExpirationTime(Math.floor(Date.parse(expiresAt) / 1000))
        .sign(key),
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, publicKey, {
          algorithms: [ALGORITHM],
          issuer: issuer(),
          audience: audience(),
          requiredClaims: ['exp', 'evaluation_id', 'approval', 'denial_expires_at', 'binding_hash'],
          currentDate: new Date(clock()),
        });
        return {
          evaluationId: payload['evaluation_id'] as string,
          approvalId: payload['approval'] as string,
          expiresAt: payload['denial_expires_at'] as string,
          contextMembers: payload['binding_context_members'] as string[],
          bindingHash: payload['binding_hash'] as string,
        };
      } catch (error) {
        return error instanceof errors.JWTExpired ? 'expired' : 'invalid';
      }
    },
    keys: () => ({ keys: [jwk] }),
  };
}

/** The public key with its thumbprint (RFC 7638) as `kid`. */
function publicJwk(key: KeyObject): { readonly kid: string } {
  const { crv, kty, x } = key.export({ format: 'jwk' });
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
  return { ...{ kty, crv, x, kid }, ...{ use: 'sig', alg: ALGORITHM } };
}
