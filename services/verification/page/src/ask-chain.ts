import type { AnchorAuthority } from '@countersign/contracts';
import { ask, jsonOf } from './ask.js';
import type { ChainAnswer, ChainFacts, NamedTransaction } from './evidence.js';
import type { EvidenceLibrary } from './evidence-library.js';
import { readTransaction } from './solana-transaction.js';

const AT_ONCE = 4;

/** The public networks by genesis hash; a network with another is somebody's own. */
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
 * Looks transactions up at the RPC address that the reader chose.
 * @param authorities who may have anchored; `null`: it is not checked
 */
export async function askChain(
  library: EvidenceLibrary,
  url: string,
  named: readonly NamedTransaction[],
  authorities: readonly AnchorAuthority[] | null,
  progress: (asked: number, of: number) => void,
): Promise<ChainFacts> {
  const genesis = await call(url, 'getGenesisHash', []);
  const network = typeof genesis === 'string' ? (NETWORKS.get(genesis) ?? 'solana:localnet') : null;
  const transactions = new Map<string, ChainAnswer>();
  const wanted = named.filter((one) => network === null || one.network === network);
  let next = 0;
  let asked = 0;
  const work = async (): Promise<void> => {
    while (next < wanted.length) {
      const { txSignature } = wanted[next++]!;
      transactions.set(txSignature, network === null ? 'unavailable' : await lookUp(library, url, txSignature));
      progress((asked += 1), wanted.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { network: network ?? wanted[0]?.network ?? 'unknown', transactions, authorities };
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
