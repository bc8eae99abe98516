import { isRecord } from '../reading.js';

/** A transaction that a package or a proof names. */
export interface NamedTransaction {
  readonly txSignature: string;
  readonly network: string;
}

/**
 * Transactions to look up on the chain before {@link verifyPackage} or {@link verifyEventProof}: every one that the
 * package (or the single proof) names, each once, in order of appearance. Takes any value; a malformed one names none.
 */
export function transactionsToAsk(packageOrProof: unknown): readonly NamedTransaction[] {
  const found = new Map<string, NamedTransaction>();
  const add = (txSignature: unknown, network: unknown): void => {
    if (typeof txSignature !== 'string' || typeof network !== 'string') return;
    found.set(`${network} ${txSignature}`, { txSignature, network });
  };
  if (!isRecord(packageOrProof)) return [];
  const { timestamp, inclusionProofs } = packageOrProof;
  if (isRecord(timestamp)) add(timestamp['anchor_tx_signature'], timestamp['anchor']);
  // The kind of value is judged later: members of the other kind may have been added to either.
  const proofs: readonly unknown[] = Array.isArray(inclusionProofs) ? inclusionProofs : [];
  for (const proof of [packageOrProof, ...proofs]) {
    if (isRecord(proof)) add(proof['txSignature'], proof['network']);
  }
  return [...found.values()];
}
