import type { ChainTransaction } from '@countersign/chain';
import type { AnchorCheck } from '@countersign/contracts';
import { parseReportMemo } from '@countersign/evidence';
import type { ChainLookups } from '../ask-chain/chain-lookups.js';
import { withoutAnswer } from '../ask-chain/without-answer.js';
import type { AuthorityFacts, PublicFacts } from '../store/port.js';

export interface AnchorCheckAnswer {
  readonly status: 200 | 400 | 500;
  readonly body: AnchorCheck;
}

/** Members of every answer that confirms nothing. */
export const NOT_CONFIRMED = { confirmed: false, block_height: null, slot: null, confirmations: null } as const;

const UNASKED: AnchorCheckAnswer = {
  status: 500,
  body: { ...NOT_CONFIRMED, error: 'the chain could not be asked; try again' },
};

const HASH = /^[0-9a-f]{64}$/;
const BASE58_SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/**
 * Checks that a transaction of an anchoring authority names the content hash of a report.
 * `sha256` is the package's, which leads to the report and its content hash; or the content hash itself, which needs no
 * store: then the signature is not judged and the detail says so.
 */
export async function checkReportAnchor(
  body: unknown,
  facts: Pick<PublicFacts, 'reportBySha256' | 'authorities'>,
  chain: () => Promise<ChainLookups>,
): Promise<AnchorCheckAnswer> {
  const request = readRequest(body);
  if (typeof request === 'string') return { status: 400, body: { confirmed: false, error: request } };
  const { txSignature, sha256, signature } = request;
  const report = await facts.reportBySha256(sha256);
  if (report !== null && report.facts.signature !== signature)
    return unconfirmed('The signature is not that of the report with this sha256.');
  const authorities = await facts.authorities();
  const network = await chain().catch(() => null);
  if (network === null) return UNASKED;
  try {
    const name = await network.network();
    const transaction = await network.transaction(txSignature);
    return judged(
      transaction,
      report,
      sha256,
      authorities.filter((authority) => authority.network === name),
    );
  } catch (error) {
    return withoutAnswer(error) === 'unavailable' ? UNASKED : unconfirmed('The chain has no such transaction.');
  }
}

function judged(
  transaction: ChainTransaction | null,
  report: Awaited<ReturnType<PublicFacts['reportBySha256']>>,
  sha256: string,
  authorities: readonly AuthorityFacts[],
): AnchorCheckAnswer {
  if (transaction === null) return unconfirmed('The chain has no such finalized transaction.');
  const place = {
    block_height: transaction.blockHeight,
    slot: transaction.slot,
    confirmations: transaction.confirmations,
  };
  if (!transaction.succeeded) return unconfirmed('The transaction failed on the chain.', place);
  const wanted = report?.facts.contentHash ?? sha256;
  if (!transaction.memos.some((memo) => parseReportMemo(memo) === wanted)) {
    return unconfirmed(
      report === null
        ? 'The transaction does not name this hash, and no report of this service has it as sha256.'
        : 'The transaction does not name the content hash of this report.',
      place,
    );
  }
  if (!authorities.some((authority) => signedBy(authority, transaction)))
    return unconfirmed('No anchoring authority of this service signed the transaction.', place);
  const detail =
    report === null
      ? 'The transaction names this content hash. The signature was not judged: a content hash was sent.'
      : 'The transaction names the content hash of this report, and the signature is the report’s.';
  return { status: 200, body: { confirmed: true, detail, ...place } };
}

/** Returns true if the authority signed it while it was in force, by the block's time. */
function signedBy({ address, validFrom, validTo }: AuthorityFacts, { signers, blockTime }: ChainTransaction): boolean {
  if (!signers.includes(address)) return false;
  if (blockTime === null) return true;
  const at = blockTime * 1000;
  return (validFrom === null || Date.parse(validFrom) <= at) && (validTo === null || at < Date.parse(validTo));
}

function unconfirmed(detail: string, place: Partial<AnchorCheck> = {}): AnchorCheckAnswer {
  return { status: 200, body: { ...NOT_CONFIRMED, detail, ...place } };
}

interface ChainRequest {
  readonly txSignature: string;
  readonly sha256: string;
  readonly signature: string;
}

/** The request, or the reason why it is invalid. */
function readRequest(body: unknown): ChainRequest | string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'send a JSON object';
  const { anchor_tx_signature: txSignature, sha256, signature } = body as Record<string, unknown>;
  if (typeof txSignature !== 'string' || !BASE58_SIGNATURE.test(txSignature))
    return 'anchor_tx_signature must be a transaction signature in base58';
  if (typeof sha256 !== 'string' || !HASH.test(sha256)) return 'sha256 must be 64 lower-case hex digits';
  if (typeof signature !== 'string' || signature === '') return 'signature must be the base64 signature of the report';
  return { txSignature, sha256, signature };
}
