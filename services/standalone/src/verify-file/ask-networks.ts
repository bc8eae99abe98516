import { ChainRejected, ChainUnavailable, openSolanaChain } from '@countersign/chain';
import { chainAnswer, type ChainAnswer, type ChainFacts, type NamedTransaction } from '@countersign/evidence';

const AT_ONCE = 8;

/**
 * Looks the transactions up at the RPC addresses that the user chose; all of them are one network.
 * @param authorities addresses that may have anchored; none: who anchored is not checked
 */
export async function askNetworks(
  urls: readonly string[],
  named: readonly NamedTransaction[],
  authorities: readonly string[],
): Promise<ChainFacts> {
  const chain = await openSolanaChain({ urls });
  try {
    const network = await chain.network().catch((error: unknown) => {
      if (error instanceof ChainUnavailable) return null;
      throw error;
    });
    const wanted = named.filter((transaction) => network === null || transaction.network === network);
    const transactions = new Map<string, ChainAnswer>();
    let next = 0;
    const ask = async (): Promise<void> => {
      while (next < wanted.length) {
        const { txSignature } = wanted[next++]!;
        transactions.set(txSignature, network === null ? 'unavailable' : await answer(chain, txSignature));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, ask));
    const label = network ?? wanted[0]?.network ?? 'unknown';
    return {
      network: label,
      transactions,
      authorities:
        authorities.length === 0
          ? null
          : authorities.map((address) => ({ address, network: label, validFrom: null, validTo: null })),
    };
  } finally {
    await chain.close();
  }
}

async function answer(chain: Awaited<ReturnType<typeof openSolanaChain>>, signature: string): Promise<ChainAnswer> {
  try {
    return chainAnswer(await chain.transaction(signature));
  } catch (error) {
    if (error instanceof ChainUnavailable) return 'unavailable';
    if (!(error instanceof ChainRejected)) throw error;
    // No such transaction can be where the signature is none; a node that keeps no history that old has not answered.
    return error.code === 'invalid-transaction' ? 'not-found' : 'unavailable';
  }
}
