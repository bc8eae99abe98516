import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { SignJWT, jwtVerify } from 'jose';
import type { Config } from '@countersign/process';
import { createFileOnce, DataDirectoryUnusable, deriveSecret, makeDataDirectory } from '@countersign/process';
import type { ServiceContext } from '../service/definition.js';

const ISSUER = 'countersign';
const AUDIENCE = 'countersign-api';
const ALGORITHM = 'HS256';
const SECRET_BYTES = 32;

export interface SessionClaims {
  readonly sid: string;
  readonly accountId: string;
}

export interface SessionTokens {
  sign(claims: SessionClaims, expiresAt: Date): Promise<string>;
  /** `null` unless it is a valid, unexpired token of this installation. Never throws. */
  verify(token: string): Promise<SessionClaims | null>;
}

/** JWT (RFC 7519) with HS256; `iss`, `aud` and `exp` are required, no other algorithm is accepted. */
function sessionTokensFrom(secret: Uint8Array, clock: () => number): SessionTokens {
  return {
    sign: ({ sid, accountId }, expiresAt) =>
      new SignJWT({ sid, acc: accountId })
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setIssuedAt(Math.floor(clock() / 1000))
        .setExpirationTime(Math.floor(expiresAt.getTime() / 1000))
        .sign(secret),
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, secret, {
          algorithms: [ALGORITHM],
          issuer: ISSUER,
          audience: AUDIENCE,
          requiredClaims: ['exp', 'sid', 'acc'],
          currentDate: new Date(clock()),
        });
        const { sid, acc } = payload;
        return typeof sid === 'string' && typeof acc === 'string' ? { sid, accountId: acc } : null;
      } catch {
        return null;
      }
    },
  };
}

type SecretPlace = Pick<Config, 'dataDir' | 'profile' | 'instanceSecretFile'>;

/**
 * Embedded: reads `<data>/session-secret` (32 bytes, mode 0600), and creates it at the first call. Distributed: derives it
 * from the instance secret, so that every process has the same.
 * @throws DataDirectoryUnusable that names the file if it is damaged
 */
export async function loadSessionSecret(config: SecretPlace): Promise<Uint8Array> {
  if (config.profile === 'distributed') return deriveSecret(config, 'session tokens');
  await makeDataDirectory(config.dataDir);
  const file = join(config.dataDir, 'session-secret');
  const secret = await createFileOnce(file, () => randomBytes(SECRET_BYTES), 0o600);
  if (secret.length !== SECRET_BYTES) {
    throw new DataDirectoryUnusable(
      `${file} is damaged: it must hold ${SECRET_BYTES} bytes. Restore it, or move it away: all sessions end then`,
    );
  }
  return secret;
}

/** Opens the session tokens of the installation: one service signs them, the edge of every other verifies them. */
export async function sessionTokens(context: Pick<ServiceContext, 'config' | 'clock'>): Promise<SessionTokens> {
  return sessionTokensFrom(await loadSessionSecret(context.config), context.clock);
}
