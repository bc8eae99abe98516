import type { Block, BlockReader } from '@countersign/chain';
import type { BlockBound } from '@countersign/evidence';

/**
 * Finds the first finalized block that the bound allows. Block times never fall, so if the first of its slots is too
 * early, bisection finds the block.
 * @returns `null` while no such block is finalized
 */
export async function findBlock(blocks: BlockReader, { fromSlot, notBeforeMs }: BlockBound): Promise<Block | null> {
  const isLate = ({ blockTime }: Block): boolean => blockTime * 1000 >= notBeforeMs;
  const first = await blocks.firstBlock(fromSlot);
  if (first === null || isLate(first)) return first;
  const newest = await blocks.newestSlot();
  let found = await blocks.firstBlock(newest);
  if (found === null || !isLate(found)) return null;
  let early = first.slot;
  let late = newest;
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    const block = await blocks.firstBlock(middle);
    if (block === null || isLate(block)) {
      found = block ?? found;
      late = middle;
    } else early = block.slot;
  }
  return found;
}
