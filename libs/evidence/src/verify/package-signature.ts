import { fromBase64 } from '../encoding/base64.js';
import { isHash } from '../encoding/hex.js';
import { verifyEd25519 } from '../signature/ed25519.js';
import { keyId } from '../signature/public-key.js';
import { isWithin } from './chain-check.js';
import type { Findings } from './findings.js';
import type { VerificationKey, VerifyOptions } from './options.js';

/** Visible ASCII without `?` and `#`, and a host: the authority is not empty and does not begin with its port. */
const KEY_URL = /^https?:\/\/(?![/:@\\])[\x21\x22\x24-\x3e\x40-\x7e]+\/v1\/keys\/(key_[0-9a-f]{16})$/;

export interface SignatureClaim {
  readonly sha256: string;
  readonly signature: Uint8Array;
  readonly keyId: string;
}

/** The four verification fields, checked by form; `null` where one is malformed. */
export function readSignatureClaim(pkg: Readonly<Record<string, unknown>>, findings: Findings): SignatureClaim | null {
  const { sha256, signature, algorithm, publicKeyUrl } = pkg;
  const wrong = (path: string, message: string): null => {
    findings.problem('verification-fields', path, message);
    return null;
  };
  if (algorithm !== 'Ed25519') return wrong('algorithm', 'algorithm must be "Ed25519".');
  const id = typeof publicKeyUrl === 'string' ? KEY_URL.exec(publicKeyUrl)?.[1] : undefined;
  if (id === undefined) return wrong('publicKeyUrl', 'publicKeyUrl must be absolute and end in /v1/keys/<key id>.');
  const bytes = typeof signature === 'string' ? fromBase64(signature) : null;
  if (bytes === null || bytes.length !== 64)
    return wrong('signature', 'signature must be 64 bytes in canonical base64.');
  if (!isHash(sha256)) return wrong('sha256', 'sha256 must be 64 lower-case hex digits.');
  return { sha256, signature: bytes, keyId: id };
}

export interface SignatureVerdict {
  readonly checked: boolean;
  readonly valid: boolean;
  readonly detail: string;
  readonly key: VerificationKey | null;
}

/** Checks that a key which the verifier has, and which is not revoked, signed the canonical bytes. */
export function checkSignature(
  claim: SignatureClaim,
  bytes: Uint8Array,
  { crypto, keys }: Pick<VerifyOptions, 'crypto' | 'keys'>,
  findings: Findings,
): SignatureVerdict {
  if (keys === null) {
    findings.notChecked.push('who issued the package: no key was given');
    return { checked: false, valid: false, detail: 'Issuer not checked: no key was given.', key: null };
  }
  const refuse = (code: 'unknown-key' | 'key-revoked' | 'signature-invalid', path: string, detail: string) => {
    findings.problem(code, path, detail);
    return { checked: true, valid: false, detail, key: null };
  };
  const key = keys.find(({ publicKey }) => keyId(publicKey, crypto.sha256) === claim.keyId);
  if (key === undefined)
    return refuse('unknown-key', 'publicKeyUrl', 'The package names a key that is not the given one.');
  if (!verifyEd25519(key.publicKey, bytes, claim.signature, crypto.ed25519Verify)) {
    return refuse('signature-invalid', 'signature', 'The signature is not that of the key over this package.');
  }
  if (key.status === 'revoked') return refuse('key-revoked', 'publicKeyUrl', revokedDetail(key));
  findings.checked.push(`the Ed25519 signature of ${claim.keyId}`);
  return { checked: true, valid: true, detail: `Signed by ${claim.keyId}.`, key };
}

function revokedDetail({ revocation }: VerificationKey): string {
  if (revocation === undefined) return 'The key was revoked.';
  return `The key was revoked at ${revocation.at}: ${revocation.reason}`;
}

/**
 * Checks that the key was valid when the report was anchored.
 * @param provenTime block time of the report's transaction; `null`: time not proven
 */
export function checkValidity(
  verdict: SignatureVerdict,
  provenTime: string | null,
  findings: Findings,
): SignatureVerdict {
  if (verdict.key === null) return verdict;
  if (provenTime === null) {
    findings.notChecked.push('time not proven: whether the key was valid when it signed');
    return { ...verdict, detail: `${verdict.detail} Time not proven.` };
  }
  const { validFrom, validTo } = verdict.key;
  if (isWithin(provenTime, validFrom, validTo)) {
    findings.checked.push(`the validity of the key at ${provenTime}`);
    return verdict;
  }
  const detail = `The key was not valid at ${provenTime}, the time of the report's transaction.`;
  findings.problem('key-outside-validity', 'publicKeyUrl', detail);
  return { ...verdict, valid: false, detail };
}
