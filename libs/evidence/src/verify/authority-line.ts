import { isoDuration } from '../encoding/time.js';
import { parseWindowMemo, type WindowMemo } from '../chain/memo.js';
import { knownTime } from './chain-answer.js';
import { signedByAuthority } from './chain-check.js';
import type { AuthorityWalk, ChainFacts, ListedTransaction } from './options.js';

/** A window that a memo on the chain names. */
export interface ChainWindow extends WindowMemo {
  readonly authority: string;
  readonly txSignature: string;
  readonly startMs: number;
  readonly endMs: number;
  /** ISO; of the first transaction with this memo. */
  readonly blockTime: string | null;
  /** The transaction was looked up, and the authority signed it; otherwise only the node's list says so. */
  readonly signed: boolean;
}

/** The window as a memo writes it. */
export function labelText({ windowStart, durationSeconds }: WindowMemo): string {
  return `${windowStart}/${isoDuration(durationSeconds)}`;
}

/**
 * The windows that an authority's transactions name, each memo once, the oldest first. Anyone may name an address in a
 * transaction: those that were looked up and are not signed by the authority are omitted.
 */
export function windowsOfWalk({ address, listed }: AuthorityWalk, chain: ChainFacts): readonly ChainWindow[] {
  const found = new Map<string, ChainWindow>();
  for (let i = listed.length - 1; i >= 0; i -= 1) {
    const listing = listed[i]!;
    const known = signedMemos(listing, address, chain);
    for (const text of known ?? listing.memos) {
      const memo = listing.succeeded ? parseWindowMemo(text) : null;
      const before = found.get(text);
      if (memo === null || (before !== undefined && (before.signed || known === null))) continue;
      const startMs = Date.parse(memo.windowStart);
      found.set(text, {
        ...memo,
        authority: address,
        txSignature: listing.signature,
        startMs,
        endMs: startMs + memo.durationSeconds * 1000,
        blockTime: knownTime(listing.blockTime),
        signed: known !== null,
      });
    }
  }
  return [...found.values()];
}

/**
 * Memos of a transaction that was looked up: none where it is not the authority's. `null`: it was not looked up, or
 * without an answer.
 */
function signedMemos({ signature }: ListedTransaction, address: string, chain: ChainFacts): readonly string[] | null {
  const answer = chain.transactions.get(signature);
  if (answer === 'not-found') return [];
  if (answer === undefined || answer === 'unavailable' || !answer.finalized) return null;
  const known = { ...chain, authorities: (chain.authorities ?? []).filter((one) => one.address === address) };
  return answer.succeeded && signedByAuthority(answer, chain.network, known) ? answer.memos : [];
}

/** The windows of one authority in the order in which they were closed, given by `prev`, for each duration. */
export class AuthorityLine {
  readonly #positions = new Map<ChainWindow, { readonly origin: ChainWindow; readonly depth: number }>();
  /** Windows whose `prev` is not among these windows. */
  readonly origins: readonly ChainWindow[];

  constructor(windows: readonly ChainWindow[]) {
    const byRoot = new Map(windows.map((window) => [rootId(window.durationSeconds, window.root), window]));
    const before = (window: ChainWindow): ChainWindow | undefined =>
      window.prev === null ? undefined : byRoot.get(rootId(window.durationSeconds, window.prev));
    for (const window of windows) {
      const ahead: ChainWindow[] = [];
      const seen = new Set<ChainWindow>();
      let at: ChainWindow | undefined = window;
      while (at !== undefined && !this.#positions.has(at) && !seen.has(at)) {
        ahead.push(at);
        seen.add(at);
        at = before(at);
      }
      let position = at === undefined ? undefined : this.#positions.get(at);
      for (const one of ahead.reverse()) {
        position =
          position === undefined ? { origin: one, depth: 0 } : { origin: position.origin, depth: position.depth + 1 };
        this.#positions.set(one, position);
      }
    }
    this.origins = windows.filter((window) => this.#positions.get(window)!.depth === 0);
  }

  /**
   * Reports whether a window was certainly closed before another: `prev` leads from the other back to it, or, where
   * their durations differ, it was not anchored after it.
   */
  isBefore(window: ChainWindow, other: ChainWindow): boolean {
    if (window.authority !== other.authority || window.durationSeconds !== other.durationSeconds) {
      return window.blockTime !== null && other.blockTime !== null && window.blockTime <= other.blockTime;
    }
    const [first, second] = [this.#positions.get(window), this.#positions.get(other)];
    return first !== undefined && second !== undefined && first.origin === second.origin && first.depth < second.depth;
  }
}

function rootId(durationSeconds: number, root: string): string {
  return `${durationSeconds} ${root}`;
}
