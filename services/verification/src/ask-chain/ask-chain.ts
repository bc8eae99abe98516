import { ChainUnavailable } from '@countersign/chain';
import { chainAnswer, type ChainAnswer, type ChainFacts, type NamedTransaction } from '@countersign/evidence';
import type { AnchorAuthority } from '@countersign/contracts';
import type { ChainLookups } from './chain-lookups.js';
import { withoutAnswer } from './without-answer.js';

/** Look-ups under way at once for one request. */
const AT_ONCE = 8;
/** Transactions that are looked up for one request; the rest counts as not checked. */
const MOST = 10_000;

/**
 * Looks up each transaction of the chain's network once. A look-up without an answer is `unavailable`, never "not on chain".
 * After three of these in a row the rest is not looked up, so that a caller waits seconds in a chain outage, not minutes.
 */
export async function askChain(
  chain: ChainLookups,
  named: readonly NamedTransaction[],
  authorities: readonly AnchorAuthority[],
): Promise<ChainFacts> {
  const network = await networkOf(chain);
  const onNetwork = named.filter((transaction) => transaction.network === network);
  const wanted = [...new Set(onNetwork.map(({ txSignature }) => txSignature))].slice(0, MOST);
  const transactions = new Map<string, ChainAnswer>();
  let silent = 0;
  let next = 0;
  const ask = async (): Promise<void> => {
    while (next < wanted.length) {
      const signature = wanted[next++]!;
      const answer = silent >= 3 ? 'unavailable' : await answerFor(chain, signature);
      silent = answer === 'unavailable' ? silent + 1 : 0;
      transactions.set(signature, answer);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, wanted.length) }, ask));
  return { network, transactions, authorities };
}

async function networkOf(chain: ChainLookups): Promise<string> {
  try {
    return await chain.network();
  } catch (error) {
    if (error instanceof ChainUnavailable) return 'unknown';
    throw error;
  }
}

async function answerFor(chain: ChainLookups, signature: string): Promise<ChainAnswer> {
  try {
    return chainAnswer(await chain.transaction(signature));
  } catch (error) {
    return withoutAnswer(error);
  }
}
