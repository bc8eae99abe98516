import { ChainRejected, ChainUnavailable, openSolanaChain, type Chain } from '@countersign/chain';
import {
  blockTimeText,
  chainAnswer,
  transactionsOfWalk,
  transactionsToAsk,
  walkBackTo,
  type AuthorityWalk,
  type ChainAnswer,
  type ChainFacts,
  type ListedTransaction,
} from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';

const AT_ONCE = 8;
/** Rounds of transaction look-ups: each may reveal further transactions that contradict the package. */
const ROUNDS = 4;
const PAGE = 1_000;

/** The subject of a verification, and the nodes and authorities that the user trusts. */
export interface ChainQuestion {
  /** A package, or a proof of absence. */
  readonly subject: unknown;
  /** Proofs of absence in addition to a package. */
  readonly absences: readonly unknown[];
  readonly rpcUrls: readonly string[];
  /** Addresses that may have anchored; empty: neither the sender nor further transactions are checked. */
  readonly authorities: readonly string[];
  /** Maximum number of transactions listed for each authority. */
  readonly walkBound: number;
}

/**
 * Looks up, at the RPC addresses that the user chose (all of one network), the named transactions and, for a package,
 * the other transactions of its authorities.
 */
export async function askNetworks(question: ChainQuestion): Promise<ChainFacts> {
  const { subject, absences, rpcUrls, authorities } = question;
  const chain = await openSolanaChain({ urls: rpcUrls });
  try {
    const network = await chain.network().catch((error: unknown) => {
      if (error instanceof ChainUnavailable) return null;
      throw error;
    });
    const named = [subject, ...absences].flatMap(transactionsToAsk);
    const wanted = named.filter((transaction) => network === null || transaction.network === network);
    const transactions = new Map<string, ChainAnswer>();
    const signatures = [...new Set(wanted.map(({ txSignature }) => txSignature))];
    if (network === null) for (const signature of signatures) transactions.set(signature, 'unavailable');
    else await lookUp(chain, signatures, transactions);
    const label = network ?? wanted[0]?.network ?? 'unknown';
    if (authorities.length === 0) return { network: label, transactions, authorities: null };
    const known = authorities.map((address) => ({ address, network: label, validFrom: null, validTo: null }));
    const facts = { network: label, transactions, authorities: known };
    return network === null ? facts : await withWalks(chain, facts, question);
  } finally {
    await chain.close();
  }
}

async function withWalks(chain: Chain, facts: ChainFacts, question: ChainQuestion): Promise<ChainFacts> {
  const { subject, authorities, walkBound } = question;
  const backTo = walkBackTo(subject);
  if (backTo === null) return facts;
  const walks: AuthorityWalk[] = [];
  for (const address of new Set(authorities)) walks.push(await walkOf(chain, address, backTo, walkBound));
  const transactions = new Map(facts.transactions);
  const walked = { ...facts, transactions, walks };
  for (let round = 0; round < ROUNDS; round += 1) {
    const further = transactionsOfWalk(subject, walked, nodeCrypto);
    if (further.length === 0) break;
    await lookUp(chain, further, transactions);
  }
  return walked;
}

/** Lists the transactions of an authority, newest first; incomplete if no node answers or the bound is reached. */
async function walkOf(chain: Chain, address: string, backTo: string, bound: number): Promise<AuthorityWalk> {
  const listed: ListedTransaction[] = [];
  try {
    while (listed.length < bound) {
      const before = listed.at(-1)?.signature;
      const limit = Math.min(PAGE, bound - listed.length);
      const page = await chain.transactionsOf(address, { limit, ...(before === undefined ? {} : { before }) });
      for (const { signature, succeeded, blockTime, memos } of page) {
        listed.push({ signature, succeeded, memos, blockTime: blockTimeText(blockTime) });
      }
      const oldest = listed.at(-1)?.blockTime ?? null;
      if (page.length === 0 || (oldest !== null && oldest < backTo)) return { address, complete: true, listed };
    }
  } catch (error) {
    if (!(error instanceof ChainUnavailable) && !(error instanceof ChainRejected)) throw error;
  }
  return { address, complete: false, listed };
}

async function lookUp(chain: Chain, signatures: readonly string[], into: Map<string, ChainAnswer>): Promise<void> {
  let next = 0;
  const ask = async (): Promise<void> => {
    while (next < signatures.length) {
      const signature = signatures[next++]!;
      into.set(signature, await answer(chain, signature));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
}

async function answer(chain: Chain, signature: string): Promise<ChainAnswer> {
  try {
    return chainAnswer(await chain.transaction(signature));
  } catch (error) {
    if (error instanceof ChainUnavailable) return 'unavailable';
    if (!(error instanceof ChainRejected)) throw error;
    // An invalid signature names no transaction; a node that has pruned that history has not answered.
    return error.code === 'invalid-transaction' ? 'not-found' : 'unavailable';
  }
}
