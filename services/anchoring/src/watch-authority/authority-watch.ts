import type { Chain, ListedTransaction } from '@countersign/chain';
import type { Logger } from 'pino';
import type { AnchorStore } from '../store/port.js';
import { judgeMemo, windowOf, type Equivocation } from './judge-memo.js';

/** Transactions of one page, and pages of one look. */
const PAGE = 500;
const PAGES = 4;

export interface WatchTools {
  readonly chain: Pick<Chain, 'transactionsOf' | 'transaction'>;
  readonly store: Pick<AnchorStore, 'rootAt'>;
  /** Address of the authority. */
  readonly authority: string;
  readonly log: Pick<Logger, 'error' | 'warn'>;
  /** Counts what must not be. */
  readonly equivocated: (kind: Equivocation) => void;
}

/**
 * Reads on the chain what was signed with the authority's key, and compares it with what this installation closed: two
 * roots for one window can only come from a second installation with the same key, a store set back, or a thief. The
 * same memo twice is harmless. What the first look does not reach, older than its bound, is left to `fsck`.
 */
export class AuthorityWatch {
  readonly #tools: WatchTools;
  #newest: string | null = null;

  constructor(tools: WatchTools) {
    this.#tools = tools;
  }

  /** Looks at what came since the last look. @throws ChainUnavailable, ChainRejected; the next look begins where this did */
  async look(): Promise<void> {
    const found = await this.#since(this.#newest);
    for (const transaction of found.toReversed()) {
      for (const text of transaction.memos) await this.#judge(transaction, text);
      this.#newest = transaction.signature;
    }
  }

  /** Newest first. */
  async #since(until: string | null): Promise<ListedTransaction[]> {
    const { chain, authority, log } = this.#tools;
    const found: ListedTransaction[] = [];
    for (let page = 0; page < PAGES; page += 1) {
      const before = found.at(-1)?.signature;
      const more = await chain.transactionsOf(authority, {
        limit: PAGE,
        ...(before === undefined ? {} : { before }),
        ...(until === null ? {} : { until }),
      });
      found.push(...more);
      if (more.length < PAGE) return found;
    }
    if (until !== null) log.warn({ looked: found.length }, 'the authority signed more than one look takes in');
    return found;
  }

  async #judge({ signature, succeeded }: ListedTransaction, text: string): Promise<void> {
    const said = succeeded ? windowOf(text) : null;
    if (said === null) return;
    const { chain, store, authority, log, equivocated } = this.#tools;
    const ours = await store.rootAt(said.cadenceSeconds, said.startMs);
    const kind = judgeMemo(said.root, ours);
    if (kind === null) return;
    // Anybody may name our address in a transaction; only the key's owner can sign with it.
    const transaction = await chain.transaction(signature);
    if (transaction === null || !transaction.signers.includes(authority)) return;
    equivocated(kind);
    log.error(
      { metric: 'countersign_equivocations_total', kind, signature, said, ours },
      'the authority signed another root',
    );
  }
}
