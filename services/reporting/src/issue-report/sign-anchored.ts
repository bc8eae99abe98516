import { createHash } from 'node:crypto';
import type { AnchorRequest } from '@countersign/contracts';
import {
  packageTimestamp,
  piecesOf,
  signMembersAsync,
  type EvidenceCrypto,
  type Member,
  type ReportAnchor,
  type SignedForm,
} from '@countersign/evidence';
import { versionedRecord } from '@countersign/topics';
import type { Signer } from '../signing-keys/signer.js';
import type { ReportStore } from '../store/port.js';

/** Dependencies of signing on the rest of the service. */
export interface AnchoredSigning {
  readonly store: Pick<ReportStore, 'enqueue'>;
  readonly crypto: EvidenceCrypto;
  /** Longest wait for the report's own transaction, ms. */
  readonly anchorWaitMs: number;
  publicUrl(): string;
  now(): Promise<number>;
  /** Appends enqueued records durably to the log. */
  flush(): Promise<void>;
  /** The report's transaction once it is finalized, or `null` after `timeoutMs`. */
  anchorOf(reportId: string, timeoutMs: number): Promise<ReportAnchor | null>;
}

export interface AnchoredForm extends SignedForm {
  /** Lower-case hex. */
  readonly contentHash: string;
  /** ISO. */
  readonly createdAt: string;
}

/**
 * Requests the transaction of a report or a series, waits for it, and signs the content with it.
 * @param id of the report or the series
 * @param content in canonical form
 */
export async function signAnchored(
  issuer: AnchoredSigning,
  signer: Signer,
  id: string,
  content: readonly Member[],
): Promise<AnchoredForm> {
  const contentHash = sha256Of(piecesOf(content));
  const request = { reportId: id, contentHash };
  await issuer.store.enqueue([versionedRecord<AnchorRequest>('anchor-requests', id, 1, request)]);
  await issuer.flush();
  const anchor = await issuer.anchorOf(id, issuer.anchorWaitMs);
  const createdAt = new Date(await issuer.now()).toISOString();
  const signed = await signMembersAsync(
    content,
    packageTimestamp(contentHash, createdAt, anchor),
    { publicKeyUrl: `${issuer.publicUrl()}/v1/keys/${signer.keyId}`, sign: (bytes) => signer.sign(bytes) },
    issuer.crypto.sha256,
  );
  return { ...signed, contentHash, createdAt };
}

/** Lower-case hex. */
export function sha256Of(pieces: Iterable<Uint8Array>): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}
