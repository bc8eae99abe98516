import fc from 'fast-check';
import type { Block, BlockReader } from '@countersign/chain';
import { findBlock } from './find-block.js';

/** A chain of these blocks that counts its requests. */
function chainOf(blocks: readonly Block[]): BlockReader & { asked: number } {
  return {
    asked: 0,
    network: async () => 'solana:devnet',
    newestSlot: async () => blocks.at(-1)!.slot,
    async firstBlock(fromSlot) {
      this.asked += 1;
      return blocks.find(({ slot }) => slot >= fromSlot) ?? null;
    },
    close: async () => undefined,
  };
}

/** Blocks whose slots and times rise by these steps. */
function blocksOf(steps: readonly (readonly [slots: number, seconds: number])[]): Block[] {
  let slot = 1000;
  let blockTime = 1_700_000_000;
  return steps.map(([slots, seconds]) => {
    slot += slots;
    blockTime += seconds;
    return { slot, blockhash: `hash-${slot}`, blockTime };
  });
}

const step = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 3 }));

describe('the block of a sample', () => {
  it('is the first whose slot and time are late enough, as a linear scan would find', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 990, max: 2500 }),
        fc.integer({ min: -5, max: 200 }),
        async (steps, fromSlot, seconds) => {
          const blocks = blocksOf(steps);
          const notBeforeMs = (1_700_000_000 + seconds) * 1000 + 1;
          const wanted = blocks.find(({ slot, blockTime }) => slot >= fromSlot && blockTime * 1000 >= notBeforeMs);
          expect(await findBlock(chainOf(blocks), { fromSlot, notBeforeMs })).toEqual(wanted ?? null);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is found by few requests among very many', async () => {
    const chain = chainOf(blocksOf(Array.from({ length: 20_000 }, () => [2, 1] as const)));
    const notBeforeMs = (1_700_000_000 + 13_000) * 1000;
    expect((await findBlock(chain, { fromSlot: 1002, notBeforeMs }))!.blockTime).toBe(1_700_000_000 + 13_000);
    expect(chain.asked).toBeLessThan(30);
  });
});
