import fc from 'fast-check';
import { merkleRoot, MerkleTree, toHex } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { WindowDamaged } from '../domain/agent-fold.js';
import { leafHash } from '../testing/leaves.js';
import type { ClosedWindow } from '../store/port.js';
import { WindowTrees } from './window-trees.js';

const { sha256 } = nodeCrypto;
const TILE = 4;

/** A closed window of `size` agents as a store has it. */
class Stored {
  readonly leaves: Uint8Array[];
  readonly window: ClosedWindow;
  readonly read: string[] = [];
  roots: Uint8Array | null;

  constructor(size: number) {
    this.leaves = Array.from({ length: size }, (_, n) => leafHash(n));
    const root = toHex(merkleRoot(this.leaves, sha256));
    this.window = { windowId: '1-1', merkleRoot: root, agentCount: size } as ClosedWindow;
    const tiles = Array.from({ length: Math.ceil(size / TILE) }, (_, n) => this.leaves.slice(n * TILE, (n + 1) * TILE));
    this.roots = Buffer.concat(tiles.map((tile) => merkleRoot(tile, sha256)));
  }

  async windowLeafHashes(): Promise<Uint8Array> {
    this.read.push('all');
    return Buffer.concat(this.leaves);
  }

  async windowTile(_windowId: string, first: number): Promise<Uint8Array> {
    this.read.push(`tile ${first}`);
    return Buffer.concat(this.leaves.slice(first, first + TILE));
  }

  async windowTileRoots(): Promise<Uint8Array | null> {
    this.read.push('roots');
    return this.roots;
  }
}

const hex = (path: readonly Uint8Array[]): string[] => path.map(toHex);

describe('paths in a window', () => {
  it('are those of its whole tree, whatever its size and its leaf', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 70 }), fc.array(fc.nat(), { minLength: 1 }), async (size, asked) => {
        const stored = new Stored(size);
        const trees = new WindowTrees(stored, sha256, TILE);
        const whole = new MerkleTree(stored.leaves, sha256);
        for (const at of asked) {
          expect(hex(await trees.path(stored.window, at % size))).toEqual(hex(whole.path(at % size)));
        }
        expect(stored.read.includes('all')).toBe(size <= TILE);
        expect(new Set(stored.read).size).toBe(stored.read.length);
      }),
      { numRuns: 100 },
    );
  });

  it('need one tile and the roots of all, read once', async () => {
    const stored = new Stored(22);
    const trees = new WindowTrees(stored, sha256, TILE);
    for (const at of [9, 9, 11, 21]) await trees.path(stored.window, at);
    expect(stored.read).toEqual(['roots', 'tile 8', 'tile 20']);
    await expect(trees.path(stored.window, 22)).rejects.toThrow(RangeError);
  });

  it('are taken from the whole tree where no roots are kept, or others than the window has', async () => {
    const whole = new MerkleTree(new Stored(11).leaves, sha256);
    const flipped = Uint8Array.from(new Stored(11).roots!, (byte, n) => (n === 40 ? byte ^ 1 : byte));
    for (const roots of [null, new Uint8Array(0), flipped, flipped.subarray(32)]) {
      const stored = new Stored(11);
      stored.roots = roots;
      expect(hex(await new WindowTrees(stored, sha256, TILE).path(stored.window, 5))).toEqual(hex(whole.path(5)));
      expect(stored.read).toEqual(['roots', 'all']);
    }
  });

  it('are none where a leaf was changed', async () => {
    const stored = new Stored(11);
    stored.leaves[6] = leafHash(99);
    const trees = new WindowTrees(stored, sha256, TILE);
    await expect(trees.path(stored.window, 5)).rejects.toThrow(WindowDamaged);
    // Another tile still leads to the root.
    const whole = new MerkleTree(new Stored(11).leaves, sha256);
    expect(hex(await trees.path(stored.window, 9))).toEqual(hex(whole.path(9)));
  });
});
