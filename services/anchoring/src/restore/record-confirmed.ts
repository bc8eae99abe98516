import { setTimeout as sleep } from 'node:timers/promises';
import type { Chain } from '@countersign/chain';
import { RestoreRefused } from '@countersign/topics';
import type { AnchorStore, Submission } from '../store/port.js';

const PAGE = 1_000;
/** A transaction may be confirmed within this many blocks after the one that it names. */
const VALID_BLOCKS = 150;
const LOOK_MS = 2_000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** The log keeps 30 days of events: no copy that it can be rebuilt from is older. */
const OLDEST_MS = 31 * 24 * 3_600_000;

export interface LandedTools {
  readonly chain: Pick<Chain, 'blockHeight' | 'network' | 'transaction' | 'transactionsOf'>;
  readonly store: Pick<AnchorStore, 'closedWindow' | 'saveAnchored'>;
  /** Address of the authority. */
  readonly authority: string;
  readonly clock: () => number;
  readonly progress: (what: string) => void;
  /** Between two looks at the chain's height, ms; 2,000 unless given. */
  readonly lookMs?: number;
}

/**
 * Looks on the chain for memos that were sent after the copy was made, and were confirmed without being published: their
 * transactions are recorded, so that none is sent a second time. What may still be on its way is waited for.
 * @returns the memos that have landed; all others can be sent
 * @throws ChainUnavailable, ChainRejected; RestoreRefused when the chain does not advance
 */
export async function recordConfirmed(
  tools: LandedTools,
  unpublished: readonly Submission[],
): Promise<readonly string[]> {
  if (unpublished.length === 0) return [];
  const before = await tools.chain.blockHeight('processed');
  const first = await adoptFound(tools, unpublished);
  const rest = unpublished.filter(({ id }) => !first.includes(id));
  if (rest.length === 0) return first;
  await untilExpired(tools, before + VALID_BLOCKS);
  return [...first, ...(await adoptFound(tools, rest))];
}

async function untilExpired({ chain, progress, lookMs = LOOK_MS }: LandedTools, height: number): Promise<void> {
  const until = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const now = await chain.blockHeight('finalized');
    if (now > height) return;
    if (performance.now() > until)
      throw new RestoreRefused(`the chain does not advance beyond block ${now}: try again`);
    progress(`anchors on their way: ${height - now + 1} blocks more until none can land`);
    await sleep(lookMs);
  }
}

async function adoptFound(tools: LandedTools, wanted: readonly Submission[]): Promise<readonly string[]> {
  const { chain, store, authority, clock } = tools;
  const byMemo = new Map(wanted.map((submission) => [submission.memo, submission.id]));
  const network = await chain.network();
  const oldestMs = await oldestOf(tools, wanted);
  const adopted: string[] = [];
  for (let before: string | undefined; byMemo.size > 0;) {
    const page = await chain.transactionsOf(authority, { limit: PAGE, ...(before === undefined ? {} : { before }) });
    for (const { signature, succeeded, memos } of page) {
      const memo = memos.find((text) => byMemo.has(text));
      if (!succeeded || memo === undefined) continue;
      const found = await chain.transaction(signature);
      // Anybody may name our address in a transaction; only the key's owner can sign with it.
      if (found === null || !found.signers.includes(authority) || found.blockHeight === null) continue;
      const { slot, blockHeight, blockTime } = found;
      const anchoredAt = new Date(blockTime === null ? clock() : blockTime * 1000).toISOString();
      const id = byMemo.get(memo)!;
      await store.saveAnchored(id, { signature, slot, blockHeight, anchoredAt, network, authority });
      byMemo.delete(memo);
      adopted.push(id);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) break;
    if (last.blockTime !== null && last.blockTime * 1000 < oldestMs) break;
    before = last.signature;
  }
  return adopted;
}

/** No transaction of these can be older: a window's follows its end. */
async function oldestOf({ store, clock }: LandedTools, wanted: readonly Submission[]): Promise<number> {
  let oldest = clock();
  for (const { id } of wanted) {
    const window = id.startsWith('window:') ? await store.closedWindow(id.slice('window:'.length)) : null;
    oldest = Math.min(oldest, window?.startMs ?? clock() - OLDEST_MS);
  }
  return oldest;
}
