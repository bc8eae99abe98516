import type { PackageContent, PackageTimestamp, SignedPackage } from '@countersign/contracts';
import { reportMemo } from '../chain/memo.js';
import type { Sha256 } from '../crypto.js';
import { toBase64 } from '../encoding/base64.js';
import { toHex } from '../encoding/hex.js';
import { contentHash, packageCanonicalBytes } from './canonical.js';
import { summarize } from './summary.js';

/** A package's content but for what follows from the rest. */
export type PackageParts = Omit<PackageContent, 'schemaVersion' | 'canonicalization' | 'summary'>;

/**
 * The content of a package with its summary.
 * @throws RangeError where `inclusionProofs[i]` is not the proof of `events[i]`
 */
export function assemblePackage(parts: PackageParts): PackageContent {
  const { events, inclusionProofs } = parts;
  const paired = events.every(({ event }, i) => inclusionProofs[i]?.eventId === event.eventId);
  if (!paired || events.length !== inclusionProofs.length) throw new RangeError('each event needs its own proof');
  return {
    schemaVersion: '1.0.0',
    canonicalization: 'rfc8785-jcs',
    ...parts,
    summary: summarize(events, inclusionProofs),
  };
}

/** Where the report's own transaction stands when the package is signed. */
export type ReportAnchor = { readonly network: string; readonly txSignature: string; readonly blockHeight: number };

/** `anchor` is `null` while the report's transaction is not finalized: the package then says `pending` for ever. */
export function packageTimestamp(
  content: PackageContent,
  issuedAt: string,
  anchor: ReportAnchor | null,
  sha256: Sha256,
): PackageTimestamp {
  return {
    issued_at: issuedAt,
    anchor: anchor?.network ?? 'pending',
    anchor_tx_signature: anchor?.txSignature ?? null,
    anchor_block_height: anchor?.blockHeight ?? null,
    message: reportMemo(contentHash(content, sha256)),
  };
}

export interface PackageSigner {
  /** Absolute, ending in `/v1/keys/<key id of the signing key>`. */
  readonly publicKeyUrl: string;
  /** Ed25519 signature (64 bytes) of the canonical bytes. */
  readonly sign: (bytes: Uint8Array) => Uint8Array;
}

export function signPackage(
  content: PackageContent,
  timestamp: PackageTimestamp,
  signer: PackageSigner,
  sha256: Sha256,
): SignedPackage {
  const unsigned = { ...content, timestamp };
  const bytes = packageCanonicalBytes(unsigned);
  return {
    ...unsigned,
    sha256: toHex(sha256(bytes)),
    signature: toBase64(signer.sign(bytes)),
    algorithm: 'Ed25519',
    publicKeyUrl: signer.publicKeyUrl,
  };
}
