import { createHash } from 'node:crypto';
import { merkleRoot, toHex } from '@countersign/evidence';
import { AgentFold, SEGMENT_LEAVES, WindowDamaged, type Segment } from './agent-fold.js';

const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest());
const hash = (n: number): Uint8Array => sha256(Buffer.from(`leaf ${n}`));

describe('AgentFold', () => {
  it.each([1, 2, 3, 5, SEGMENT_LEAVES - 1, SEGMENT_LEAVES, SEGMENT_LEAVES + 1, 2 * SEGMENT_LEAVES])(
    'gives the root of %i leaves and their hashes in segments without a gap',
    (count) => {
      const fold = new AgentFold(7, 11, sha256);
      const segments: Segment[] = [];
      const hashes = Array.from({ length: count }, (_, i) => hash(i));
      hashes.forEach((one, i) => {
        const segment = fold.add(11 + i, one);
        if (segment !== null) segments.push(segment);
      });
      const last = fold.take();
      if (last !== null) segments.push(last);
      expect(toHex(fold.root())).toBe(toHex(merkleRoot(hashes, sha256)));
      expect(Buffer.concat(segments.map((segment) => segment.hashes)).equals(Buffer.concat(hashes))).toBe(true);
      let next = 11;
      for (const { firstSequence, hashes: bytes } of segments) {
        expect(firstSequence).toBe(next);
        next += bytes.length / 32;
      }
      expect([fold.firstSequence, fold.lastSequence]).toEqual([11, 10 + count]);
    },
  );

  it('refuses a missing and a repeated sequence', () => {
    const fold = new AgentFold(7, 1, sha256);
    fold.add(1, hash(1));
    expect(() => fold.add(3, hash(3))).toThrow(WindowDamaged);
    expect(() => fold.add(1, hash(1))).toThrow(WindowDamaged);
  });
});
