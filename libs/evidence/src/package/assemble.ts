import type { PackageContent, PackageTimestamp, SignedPackage } from '@countersign/contracts';
import { reportMemo } from '../chain/memo.js';
import type { Sha256 } from '../crypto.js';
import { toBase64 } from '../encoding/base64.js';
import { toHex } from '../encoding/hex.js';
import { canonicalMembers } from './canonical.js';
import { joined, memberOf, piecesOf, type Member } from './member.js';
import { summarize } from './summary.js';

/** A package's content without the members that are derived from the rest. */
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

/** The finalized transaction of the report at the time of signing. */
export type ReportAnchor = { readonly network: string; readonly txSignature: string; readonly blockHeight: number };

/**
 * The timestamp of a package; `anchor` is `null` while the report's transaction is not finalized: the package then says
 * `pending` for ever.
 * @param contentHash of the package's content, hex
 */
export function packageTimestamp(contentHash: string, issuedAt: string, anchor: ReportAnchor | null): PackageTimestamp {
  return {
    issued_at: issuedAt,
    anchor: anchor?.network ?? 'pending',
    anchor_tx_signature: anchor?.txSignature ?? null,
    anchor_block_height: anchor?.blockHeight ?? null,
    message: reportMemo(contentHash),
  };
}

export interface PackageSigner {
  /** Absolute, ending in `/v1/keys/<key id of the signing key>`. */
  readonly publicKeyUrl: string;
  /** Ed25519 signature (64 bytes) of the canonical bytes. */
  readonly sign: (bytes: Uint8Array) => Uint8Array;
}

/** Members that signing adds to a package in addition to its timestamp. */
export type PackageSignature = Pick<SignedPackage, 'sha256' | 'signature' | 'algorithm' | 'publicKeyUrl'>;

/** A signed package as bytes; the objects of its content can be released. */
export interface SignedForm {
  readonly signature: PackageSignature;
  /** The canonical form of the whole package, in pieces. */
  readonly pieces: () => Iterable<Uint8Array>;
}

/** Signs content that is already canonical (`canonicalMembers`), without canonicalizing it again. */
export function signMembers(
  content: readonly Member[],
  timestamp: PackageTimestamp,
  signer: PackageSigner,
  sha256: Sha256,
): SignedForm {
  const unsigned = [...content, memberOf('timestamp', timestamp)];
  const bytes = joined(unsigned);
  return signedForm(unsigned, toHex(sha256(bytes)), signer.sign(bytes), signer.publicKeyUrl);
}

/** As {@link signMembers}, with an asynchronous signature: the key may be in another process. */
export async function signMembersAsync(
  content: readonly Member[],
  timestamp: PackageTimestamp,
  signer: { readonly publicKeyUrl: string; readonly sign: (bytes: Uint8Array) => Promise<Uint8Array> },
  sha256: Sha256,
): Promise<SignedForm> {
  const unsigned = [...content, memberOf('timestamp', timestamp)];
  const bytes = joined(unsigned);
  return signedForm(unsigned, toHex(sha256(bytes)), await signer.sign(bytes), signer.publicKeyUrl);
}

function signedForm(unsigned: readonly Member[], sha256: string, bytes: Uint8Array, publicKeyUrl: string): SignedForm {
  const signature: PackageSignature = { sha256, signature: toBase64(bytes), algorithm: 'Ed25519', publicKeyUrl };
  const whole = [...unsigned, ...Object.entries(signature).map(([name, value]) => memberOf(name, value))];
  return { signature, pieces: () => piecesOf(whole) };
}

export function signPackage(
  content: PackageContent,
  timestamp: PackageTimestamp,
  signer: PackageSigner,
  sha256: Sha256,
): SignedPackage {
  const { signature } = signMembers(canonicalMembers(content), timestamp, signer, sha256);
  return { ...content, timestamp, ...signature };
}
