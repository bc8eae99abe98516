import { BASE } from './verifier.js';

/** The members of the library of `/verify` that are called here. */
interface Library {
  readonly canonicalBytes: (value: unknown) => Uint8Array;
  readonly toHex: (bytes: Uint8Array) => string;
  readonly browserCrypto: { readonly sha256: (bytes: Uint8Array) => Uint8Array };
}

const LIBRARY = `${BASE}verify/evidence.js`;

/**
 * SHA-256 of the RFC 8785 form of a profile, computed in this browser, as `profileSha256` of decisions is: lower-case hex.
 * @throws TypeError where the library cannot be loaded
 */
export async function profileHash(profile: unknown): Promise<string> {
  const { browserCrypto, canonicalBytes, toHex } = (await import(LIBRARY)) as Library;
  return toHex(browserCrypto.sha256(canonicalBytes(profile)));
}
