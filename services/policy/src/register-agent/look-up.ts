import { ChainRejected, ChainUnavailable } from '@countersign/chain';
import type { Chain, ChainTransaction } from '@countersign/chain';

/** State of a transaction that is not final. */
export type NotFinal = 'unknown' | 'not-finalized';

/** The chain does not answer; the message is for callers and names no node. */
export class ChainNotAsked extends Error {
  override readonly name = 'ChainNotAsked';
}

/** The transaction once it is final, also where it failed. @throws ChainNotAsked */
export async function lookUp(
  open: () => Promise<Chain>,
  transactionSignature: string,
): Promise<ChainTransaction | NotFinal> {
  return asking(open, async (chain) => {
    const found = await chain.transaction(transactionSignature).catch((error: unknown) => {
      if (error instanceof ChainRejected) return error;
      throw error;
    });
    if (found !== null && !(found instanceof ChainRejected)) return found;
    const { state } = await chain.status(transactionSignature);
    if (state === 'pending' || state === 'confirmed') return 'not-finalized';
    // A node without history rejects the call: the transaction may exist.
    if (found !== null) throw found;
    if (state === 'not-found') return 'unknown';
    // Finalized in between; a node that reports it and does not return it has no history.
    const final = await chain.transaction(transactionSignature);
    if (final === null) throw new ChainUnavailable('node-unhealthy', 'The node does not show what it calls final');
    return final;
  });
}

/** @throws ChainNotAsked where no node answers, or one that answers cannot do what was asked */
export async function asking<T>(open: () => Promise<Chain>, ask: (chain: Chain) => Promise<T>): Promise<T> {
  const chain = await open().catch((error: unknown) => {
    throw notAsked('it is not there', error);
  });
  try {
    return await ask(chain);
  } catch (error) {
    if (error instanceof ChainUnavailable) throw notAsked(error.reason, error);
    if (error instanceof ChainRejected) throw notAsked(error.code, error);
    throw error;
  }
}

function notAsked(why: string, cause: unknown): ChainNotAsked {
  return new ChainNotAsked(`the Solana network cannot be asked at the moment (${why}): try again`, { cause });
}
