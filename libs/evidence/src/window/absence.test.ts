import fc from 'fast-check';
import { nodeCrypto } from '../../vectors/node-crypto.mjs';
import { MerkleTree } from '../merkle/tree.js';
import { absenceStory, type AbsenceStory } from '../vectors/absence-cases.js';
import { storyAuthority } from '../vectors/story-package.js';
import { storyUuid, STORY_START } from '../vectors/events.js';
import { transactionsToAsk } from '../verify/transactions-to-ask.js';
import { claimsAbsence, verifyAbsence } from '../verify/absence.js';
import type { ChainFacts } from '../verify/options.js';
import { absenceProof, positionOfKey } from './absence.js';
import { agentKey, windowLeafHash } from './window-tree.js';

const { sha256 } = nodeCrypto;
const authority = storyAuthority(sha256);
const chainOf = (story: AbsenceStory): ChainFacts => ({
  network: story.window.network,
  authorities: [authority],
  transactions: new Map(Object.entries(story.transactions)),
});
const stories = new Map<number, AbsenceStory>();
function storyOf(agents: number): AbsenceStory {
  const known = stories.get(agents) ?? absenceStory(authority, sha256, agents);
  stories.set(agents, known);
  return known;
}

describe('a proof of absence', () => {
  it('can be made for any agent that is not in a window of any size, and holds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.nat(1_000), (agents, n) => {
        const story = storyOf(agents);
        const proof = story.proofOf(storyUuid(`absent ${n}`, STORY_START, sha256));
        expect(verifyAbsence(proof, { crypto: nodeCrypto, chain: chainOf(story) })).toMatchObject({
          ok: true,
          problems: [],
          chain: { checked: true, onChain: true },
        });
      }),
      { numRuns: 200 },
    );
  });

  it('cannot be made for an agent that is in it, whatever the adjacent leaves, nor from another tree', () => {
    const story = storyOf(5);
    const { present, tree, window } = story;
    expect(() => story.proofOf(present.agentId)).toThrow(RangeError);
    const leaves = tree.agents.map(({ leaf }) => leaf);
    const hashes = leaves.map((leaf) => windowLeafHash(leaf, sha256));
    const at = present.leafIndex;
    const beside = { before: leaves[at - 1]!, after: leaves[at + 1]! };
    // The two do surround it by their keys: no position is next to both, so the proof does not verify.
    const forged = absenceProof(present.agentId, new MerkleTree(hashes, sha256), at, beside, window, sha256);
    expect(verifyAbsence(forged, { crypto: nodeCrypto, chain: chainOf(story) })).toMatchObject({
      ok: false,
      problems: [{ code: 'absence-root-differs' }],
    });
    const shorter = new MerkleTree(hashes.slice(1), sha256);
    expect(() => absenceProof(story.absent.between, shorter, at, beside, window, sha256)).toThrow(/not the one/);
  });

  it('is refused when any of its members is changed', () => {
    const story = storyOf(5);
    const proof = story.proofOf(story.absent.between);
    const members = Object.keys(proof);
    fc.assert(
      fc.property(fc.constantFrom(...members), fc.jsonValue(), (member, value) => {
        fc.pre(JSON.stringify(value) !== JSON.stringify((proof as unknown as Record<string, unknown>)[member]));
        const other = { ...proof, [member]: value };
        const result = verifyAbsence(other, { crypto: nodeCrypto, chain: chainOf(story) });
        expect(result.ok && result.chain.checked).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('says what was not checked', () => {
    const story = storyOf(5);
    const proof = story.proofOf(story.absent.first);
    expect(transactionsToAsk(proof)).toEqual([{ txSignature: proof.txSignature, network: proof.network }]);
    const unasked = verifyAbsence(proof, { crypto: nodeCrypto, chain: null });
    expect(unasked).toMatchObject({ ok: true, chain: { checked: false } });
    expect(unasked.notChecked[0]).toContain('No chain was asked');
    const unknown = { ...chainOf(story), authorities: null };
    expect(verifyAbsence(proof, { crypto: nodeCrypto, chain: unknown }).notChecked[0]).toContain('who anchored');
    expect([claimsAbsence(proof), claimsAbsence({ kind: 'presence' }), claimsAbsence(null)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('positionOfKey', () => {
  it('finds the position of any key in few look-ups', async () => {
    const keys = Array.from({ length: 1_000 }, (_, i) => agentKey(`agent ${i}`, sha256)).sort();
    for (const wanted of [keys[0]!, keys[500]!, keys[999]!, '0'.repeat(64), 'f'.repeat(64), agentKey('x', sha256)]) {
      let asked = 0;
      const position = await positionOfKey(wanted, keys.length, async (i) => {
        asked += 1;
        return keys[i]!;
      });
      expect(position).toBe(keys.filter((key) => key < wanted).length);
      expect(asked).toBeLessThanOrEqual(10);
    }
  });
});
