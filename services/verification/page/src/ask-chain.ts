import type { AnchorAuthority } from '@countersign/contracts';
import { ask, jsonOf } from './ask.js';
import type { AuthorityWalk, ChainAnswer, ChainFacts, ListedTransaction, NamedTransaction } from './evidence.js';
import type { EvidenceLibrary } from './evidence-library.js';
import { listedMemos, readTransaction } from './solana-transaction.js';

const AT_ONCE = 4;
const PAGE = 1_000;
/** Rounds of look-ups of what the authorities sent: what is looked up may show more that contradicts it. */
const ROUNDS = 4;

/** The public networks by genesis hash; a network with another one is private. */
const NETWORKS: ReadonlyMap<unknown, string> = new Map([
  ['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', 'solana:mainnet-beta'],
  ['EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', 'solana:devnet'],
  ['4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY', 'solana:testnet'],
]);

/** The result of a JSON-RPC call; `undefined` where the node gave none. */
async function call(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const answer = await ask(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  if (answer === null || !answer.ok) return undefined;
  const body = await jsonOf(answer);
  if (typeof body !== 'object' || body === null || 'error' in body) return undefined;
  return (body as { readonly result?: unknown }).result;
}

/**
 * Looks transactions up at the RPC address that the reader chose: those that are named, and for a package what else its
 * authorities sent.
 * @param subject what is verified
 * @param authorities who may have anchored; `null`: it is not checked
 */
export async function askChain(
  library: EvidenceLibrary,
  url: string,
  named: readonly NamedTransaction[],
  authorities: readonly AnchorAuthority[] | null,
  progress: (text: string) => void,
  subject: unknown = null,
): Promise<ChainFacts> {
  const genesis = await call(url, 'getGenesisHash', []);
  const network = typeof genesis === 'string' ? (NETWORKS.get(genesis) ?? 'solana:localnet') : null;
  const transactions = new Map<string, ChainAnswer>();
  const wanted = named.filter((one) => network === null || one.network === network);
  const lookUpAll = async (signatures: readonly string[]): Promise<void> => {
    let next = 0;
    let asked = 0;
    const work = async (): Promise<void> => {
      while (next < signatures.length) {
        const signature = signatures[next++]!;
        transactions.set(signature, network === null ? 'unavailable' : await lookUp(library, url, signature));
        progress(`Asking the chain: ${(asked += 1)} of ${signatures.length} transactions`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  };
  await lookUpAll([...new Set(wanted.map(({ txSignature }) => txSignature))]);
  const facts = { network: network ?? wanted[0]?.network ?? 'unknown', transactions, authorities };
  const backTo = library.walkBackTo(subject);
  if (network === null || authorities === null || backTo === null) return facts;
  const walks: AuthorityWalk[] = [];
  const addresses = authorities.filter((one) => one.network === network).map(({ address }) => address);
  for (const address of new Set(addresses)) walks.push(await walkOf(library, url, address, backTo, progress));
  for (let round = 0; round < ROUNDS; round += 1) {
    const further = library.transactionsOfWalk(subject, { ...facts, walks }, library.browserCrypto);
    if (further.length === 0) break;
    await lookUpAll(further);
  }
  return { ...facts, walks };
}

/** Lists what an authority sent, the newest first; not complete where the node does not answer, or the bound is reached. */
async function walkOf(
  library: EvidenceLibrary,
  url: string,
  address: string,
  backTo: string,
  progress: (text: string) => void,
): Promise<AuthorityWalk> {
  const listed: ListedTransaction[] = [];
  while (listed.length < library.WALK_BOUND) {
    const before = listed.at(-1)?.signature;
    const options = { commitment: 'finalized', limit: PAGE, ...(before === undefined ? {} : { before }) };
    const page = await call(url, 'getSignaturesForAddress', [address, options]);
    if (!Array.isArray(page) || !page.every(isListed)) return { address, complete: false, listed };
    for (const { signature, err, memo, blockTime } of page) {
      const memos = listedMemos(memo ?? null);
      const time = library.blockTimeText(blockTime);
      listed.push({ signature, succeeded: (err ?? null) === null, blockTime: time, memos });
    }
    progress(`Reading what the authority anchored: ${listed.length} transactions`);
    const oldest = listed.at(-1)?.blockTime ?? null;
    if (page.length === 0 || (oldest !== null && oldest < backTo)) return { address, complete: true, listed };
  }
  return { address, complete: false, listed };
}

interface Listed {
  readonly signature: string;
  readonly err?: unknown;
  readonly memo?: string | null;
  readonly blockTime?: number | null;
}

function isListed(value: unknown): value is Listed {
  const { signature, memo } = (value ?? {}) as Partial<Listed>;
  return typeof signature === 'string' && (memo === undefined || memo === null || typeof memo === 'string');
}

interface Found {
  readonly slot: number;
  readonly blockTime?: number | null;
  readonly meta: { readonly err: unknown } | null;
  readonly transaction: readonly [string, string];
}

async function lookUp(library: EvidenceLibrary, url: string, signature: string): Promise<ChainAnswer> {
  const shape = { commitment: 'finalized', maxSupportedTransactionVersion: 0 };
  const found = await call(url, 'getTransaction', [signature, { ...shape, encoding: 'base64' }]);
  if (found === null) return 'not-found';
  if (!isFound(found) || found.meta === null) return 'unavailable';
  const wire = library.fromBase64(found.transaction[0]);
  const read = wire === null ? null : readTransaction(wire, library);
  // A node that shows another transaction than was asked for has not answered.
  if (read?.signature !== signature) return 'unavailable';
  const block = await call(url, 'getBlock', [found.slot, { ...shape, transactionDetails: 'none', rewards: false }]);
  const height = (block as { readonly blockHeight?: unknown } | null | undefined)?.blockHeight;
  return library.chainAnswer({
    succeeded: found.meta.err === null,
    signers: read.signers,
    memos: read.memos,
    slot: found.slot,
    blockHeight: typeof height === 'number' ? height : null,
    blockTime: found.blockTime ?? null,
    confirmations: null,
  });
}

function isFound(value: unknown): value is Found {
  const { slot, transaction } = (value ?? {}) as Partial<Found>;
  return typeof slot === 'number' && Array.isArray(transaction) && typeof transaction[0] === 'string';
}
