import { setTimeout as sleep } from 'node:timers/promises';
import { openBlocks, openSolanaChain, type Block, type ChainTransaction } from '@countersign/chain';
import {
  blockBound,
  reportMemo,
  type SampleAnchor,
  type SampledPackage,
  type SampleRequest,
} from '@countersign/evidence';
import { findBlock } from './find-block.js';

/** State of a package's transaction and of the block of its sample on the chain. */
export type ChainFinding =
  | {
      readonly kind: 'found';
      readonly anchor: SampleAnchor;
      readonly block: Block;
      readonly signers: readonly string[];
    }
  | { readonly kind: 'not-yet'; readonly fromSlot: number; readonly newestSlot: number }
  | { readonly kind: 'wrong'; readonly problem: string };

const LOOK_AGAIN_MS = 1_000;

/**
 * Asks the nodes for the report's transaction and, by the rule alone, for the block; waits at most `waitMs` for it.
 * @param txSignature the report's own transaction
 * @throws ChainUnavailable, ChainRejected if the nodes cannot answer
 */
export async function askChain(
  urls: readonly string[],
  pkg: SampledPackage,
  request: SampleRequest,
  txSignature: string,
  waitMs: number,
): Promise<ChainFinding> {
  const chain = await openSolanaChain({ urls });
  const blocks = await openBlocks({ urls });
  try {
    const [network, transaction] = [await chain.network(), await chain.transaction(txSignature)];
    const problem = problemOf(pkg, network, transaction);
    if (transaction === null || problem !== null) return { kind: 'wrong', problem: problem ?? NOT_THERE };
    const { slot, signers } = transaction;
    const bound = blockBound(pkg.facts.range, request, slot);
    const waitsUntil = performance.now() + waitMs;
    for (;;) {
      const block = await findBlock(blocks, bound);
      if (block !== null) return { kind: 'found', anchor: { network, txSignature, slot }, block, signers };
      if (performance.now() >= waitsUntil) break;
      await sleep(LOOK_AGAIN_MS);
    }
    return { kind: 'not-yet', fromSlot: bound.fromSlot, newestSlot: await blocks.newestSlot() };
  } finally {
    await blocks.close();
    await chain.close();
  }
}

const NOT_THERE = "the report's transaction is not on the chain, or not final yet";

function problemOf(pkg: SampledPackage, network: string, transaction: ChainTransaction | null): string | null {
  if (pkg.anchor !== null && pkg.anchor.network !== network)
    return `the report was anchored on ${pkg.anchor.network}, and the nodes are of ${network}`;
  if (transaction === null) return NOT_THERE;
  if (!transaction.succeeded) return "the report's transaction failed";
  if (!transaction.memos.includes(reportMemo(pkg.facts.contentHash)))
    return "the report's transaction names another content than the package has";
  return null;
}
