import type { Chain } from '@countersign/chain';
import { parseWindowMemo } from '@countersign/evidence';
import type { LedgerView, SeenTransaction } from '../ledger-view.js';

const PAGE = 1000;
/** Transactions that are remembered: packages ask for those of the windows again. */
const KEPT = 10_000;

/** The chain as its nodes tell it. @throws what the chain throws when no node answers */
export async function chainOnNodes(chain: Chain): Promise<LedgerView> {
  const network = await chain.network();
  const known = new Map<string, SeenTransaction>();
  const transaction = async (signature: string): Promise<SeenTransaction | null> => {
    const found = known.get(signature) ?? (await chain.transaction(signature));
    if (found !== null && known.size < KEPT) known.set(signature, found);
    return found;
  };
  return {
    network,
    place: ({ signature }) => `${network} transaction ${signature}`,
    transaction,
    async *transactionsOf(addresses) {
      for (const address of addresses) {
        for (let before: string | null = null; ;) {
          const page = await chain.transactionsOf(address, { limit: PAGE, ...(before === null ? {} : { before }) });
          for (const { signature, memos } of page) {
            // The list does not say who signed.
            const found = memos.some((memo) => parseWindowMemo(memo) !== null) ? await transaction(signature) : null;
            if (found !== null) yield found;
          }
          before = page.at(-1)?.signature ?? null;
          if (before === null) break;
        }
      }
    },
  };
}
