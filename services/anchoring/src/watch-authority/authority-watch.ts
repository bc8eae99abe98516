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

/** From the newest transaction, `top`, to the one at which the last look began: `until`. `before` is as far as it came. */
interface Walk {
  readonly until: string | null;
  top: string | null;
  before: string | null;
}

/**
 * Reads on the chain what was signed with the authority's key, and compares it with what this installation closed: two
 * roots for one window can only come from a second installation with the same key, a store set back, or a thief. The
 * same memo twice is harmless. What the first look does not reach, older than its bound, is left to `fsck`.
 */
export class AuthorityWatch {
  readonly #tools: WatchTools;
  #newest: string | null = null;
  #walk: Walk | null = null;

  constructor(tools: WatchTools) {
    this.#tools = tools;
  }

  /**
   * Looks at what came since the last look, newest first. Anybody may name the authority in any number of transactions, so
   * what one look does not reach is left to the next ones, and never skipped: else a flood would hide what a thief signed.
   * @returns whether it reached the last look, or for the first one its bound
   * @throws ChainUnavailable, ChainRejected; the next look continues where this one failed
   */
  async look(): Promise<boolean> {
    const { chain, authority, log } = this.#tools;
    const walk = (this.#walk ??= { until: this.#newest, top: null, before: null });
    for (let page = 0; page < PAGES; page += 1) {
      const found = await chain.transactionsOf(authority, {
        limit: PAGE,
        ...(walk.before === null ? {} : { before: walk.before }),
        ...(walk.until === null ? {} : { until: walk.until }),
      });
      for (const transaction of found) {
        for (const text of transaction.memos) await this.#judge(transaction, text);
        walk.top ??= transaction.signature;
        walk.before = transaction.signature;
      }
      if (found.length < PAGE) return this.#end(walk);
    }
    if (walk.until === null) return this.#end(walk);
    log.warn({ until: walk.until }, 'the authority is named in more transactions than one look takes in; it goes on');
    return false;
  }

  #end({ top }: Walk): true {
    this.#newest = top ?? this.#newest;
    this.#walk = null;
    return true;
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
