import { Connection } from '@solana/web3.js';
import { ChainUnavailable } from '../errors.js';
import type { Network } from '../port.js';
import { boundedFetch } from './bounded-fetch.js';
import { networkOf } from './networks.js';
import { Nodes } from './nodes.js';

/** The header of a finalized block. */
export interface Block {
  readonly slot: number;
  /** Base58. */
  readonly blockhash: string;
  /** Seconds since the epoch, by the validators' clocks. */
  readonly blockTime: number;
}

/**
 * Finalized blocks of one network. Every call ends within a bound, with a value or `ChainUnavailable`/`ChainRejected`.
 */
export interface BlockReader {
  network(): Promise<Network>;
  /** Newest finalized slot. */
  newestSlot(): Promise<number>;
  /** The first block of this slot or a later one; `null` while none is finalized. */
  firstBlock(fromSlot: number): Promise<Block | null>;
  close(): Promise<void>;
}

const REQUEST_MS = 5_000;
const DEADLINE_MS = 15_000;
/** Slots that are searched at once: most have a block, so the first answer is short and nearly always sufficient. */
const FIRST_WIDTH = 16;
/** Maximum that a node lists in one answer. */
const WIDEST = 500_000;

/** Blocks through the JSON-RPC of nodes that retain them. */
export class SolanaBlocks implements BlockReader {
  readonly #nodes: Nodes<Connection>;
  readonly #closing = new AbortController();

  /** @throws RangeError without a URL */
  constructor({ urls }: { readonly urls: readonly string[] }) {
    if (urls.length === 0) throw new RangeError('At least one URL of a Solana node is needed');
    const fetch = boundedFetch(REQUEST_MS, this.#closing.signal);
    this.#nodes = new Nodes({
      clients: urls.map(
        (url) => new Connection(url, { commitment: 'finalized', fetch, disableRetryOnRateLimit: true }),
      ),
      genesisHash: (connection) => connection.getGenesisHash(),
      expectedGenesisHash: null,
      deadlineMs: DEADLINE_MS,
    });
  }

  async network(): Promise<Network> {
    return networkOf(await this.#nodes.ask((connection) => connection.getGenesisHash()));
  }

  newestSlot(): Promise<number> {
    return this.#nodes.ask((connection) => connection.getSlot('finalized'));
  }

  firstBlock(fromSlot: number): Promise<Block | null> {
    return this.#nodes.ask(async (connection) => {
      const newest = await connection.getSlot('finalized');
      for (let first = fromSlot, width = FIRST_WIDTH; first <= newest; first += width, width = wider(width)) {
        const [slot] = await connection.getBlocks(first, Math.min(first + width - 1, newest), 'finalized');
        if (slot !== undefined) return readFirst(connection, slot, fromSlot);
      }
      return null;
    });
  }

  async close(): Promise<void> {
    this.#nodes.close();
    this.#closing.abort();
  }
}

function wider(width: number): number {
  return Math.min(width * 32, WIDEST);
}

/**
 * A node that no longer has earlier blocks lists later ones: the parent of the first one is before the start of its
 * history.
 */
async function readFirst(connection: Connection, slot: number, fromSlot: number): Promise<Block> {
  const block = await connection.getBlock(slot, {
    commitment: 'finalized',
    transactionDetails: 'none',
    rewards: false,
    maxSupportedTransactionVersion: 0,
  });
  if (block === null || block.blockTime === null) {
    throw new ChainUnavailable('node-unhealthy', 'The node listed a block that it does not have');
  }
  if (slot > fromSlot && block.parentSlot >= fromSlot) {
    throw new ChainUnavailable('node-unhealthy', `The node does not list every block from slot ${fromSlot} on`);
  }
  return { slot, blockhash: block.blockhash, blockTime: block.blockTime };
}
