import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { MerkleTree as OracleTree } from 'merkletreejs';
import { nodeCrypto } from '../../vectors/node-crypto.mjs';
import { toHex } from '../encoding/hex.js';
import { utf8 } from '../encoding/text.js';
import { CompactRange, merkleRoot } from './compact-range.js';
import { verifyConsistency } from './consistency.js';
import { leafHash, nodeHash } from './hash.js';
import { inclusionPath, MerkleTree } from './tree.js';
import { rootFromPath, verifyInclusion } from './verify-inclusion.js';

const { sha256 } = nodeCrypto;
const DATA = fileURLToPath(new URL('../../vectors/public/rfc6962', import.meta.url));

interface Case {
  readonly [name: string]: unknown;
  readonly desc: string;
  readonly wantErr: boolean;
}

function cases(folder: string): [string, Case][] {
  return readdirSync(`${DATA}/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => [name, JSON.parse(readFileSync(`${DATA}/${folder}/${name}`, 'utf8')) as Case]);
}

const bytes = (text: unknown): Uint8Array => new Uint8Array(Buffer.from((text as string | null) ?? '', 'base64'));
const list = (texts: unknown): Uint8Array[] => ((texts as string[] | null) ?? []).map(bytes);

describe('the vectors of RFC 6962', () => {
  it.each(cases('inclusion'))('inclusion %s', (_name, test) => {
    const proof = {
      leaf: bytes(test['leafHash']),
      index: test['leafIdx'] as number,
      treeSize: test['treeSize'] as number,
      path: list(test['proof']),
      root: bytes(test['root']),
    };
    expect(verifyInclusion(proof, sha256)).toBe(!test.wantErr);
  });

  it.each(cases('consistency'))('consistency %s', (_name, test) => {
    const claim = {
      size1: test['size1'] as number,
      size2: test['size2'] as number,
      root1: bytes(test['root1']),
      root2: bytes(test['root2']),
      proof: list(test['proof']),
    };
    expect(verifyConsistency(claim, sha256)).toBe(!test.wantErr);
  });

  it('are all there', () => {
    expect(cases('inclusion').length + cases('consistency').length).toBeGreaterThan(190);
  });
});

const leaves = (n: number): Uint8Array[] => Array.from({ length: n }, (_, i) => leafHash(utf8(`leaf ${i}`), sha256));

/** RFC 6962 section 2.1, literally. */
function mth(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 0) return sha256(new Uint8Array(0));
  if (hashes.length === 1) return hashes[0]!;
  const k = split(hashes.length);
  return nodeHash(mth(hashes.slice(0, k)), mth(hashes.slice(k)), sha256);
}

/** RFC 6962 section 2.1.2, literally. */
function subproof(m: number, hashes: readonly Uint8Array[], whole: boolean): Uint8Array[] {
  if (m === hashes.length) return whole ? [] : [mth(hashes)];
  const k = split(hashes.length);
  return m <= k
    ? [...subproof(m, hashes.slice(0, k), whole), mth(hashes.slice(k))]
    : [...subproof(m - k, hashes.slice(k), false), mth(hashes.slice(0, k))];
}

function split(n: number): number {
  let power = 1;
  while (power * 2 < n) power *= 2;
  return power;
}

const oracleTree = (hashes: readonly Uint8Array[]): OracleTree =>
  new OracleTree(
    hashes.map((hash) => Buffer.from(hash)),
    (pair: Buffer) => Buffer.from(sha256(Buffer.concat([Buffer.of(1), pair]))),
  );

describe('a Merkle tree', () => {
  it('has the root and the paths of RFC 6962 and of merkletreejs', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 130 }), fc.nat(), (n, at) => {
        const hashes = leaves(n);
        const index = at % n;
        const root = toHex(mth(hashes));
        const oracle = oracleTree(hashes);
        const tree = new MerkleTree(hashes, sha256);
        expect(toHex(tree.root())).toBe(root);
        expect(toHex(merkleRoot(hashes, sha256))).toBe(root);
        expect(oracle.getRoot().toString('hex')).toBe(root);
        const path = tree.path(index);
        const theirs = oracle.getProof(Buffer.from(hashes[index]!), index) as { data: Buffer }[];
        expect(path.map(toHex)).toEqual(theirs.map(({ data }) => data.toString('hex')));
        expect(inclusionPath(hashes, index, sha256)).toEqual(path);
        expect(toHex(rootFromPath(hashes[index]!, index, n, path, sha256)!)).toBe(root);
      }),
      { numRuns: 200 },
    );
  });

  it('refuses another leaf, index, size or path', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 70 }), fc.nat(), fc.nat(), fc.nat(255), (n, at, where, mask) => {
        const hashes = leaves(n);
        const index = at % n;
        const path = inclusionPath(hashes, index, sha256);
        const root = merkleRoot(hashes, sha256);
        const good = { leaf: hashes[index]!, index, treeSize: n, path, root };
        expect(verifyInclusion(good, sha256)).toBe(true);
        const other = (index + 1 + (where % (n - 1))) % n;
        expect(verifyInclusion({ ...good, index: other }, sha256)).toBe(false);
        expect(verifyInclusion({ ...good, leaf: hashes[other]! }, sha256)).toBe(false);
        expect(verifyInclusion({ ...good, path: path.slice(1) }, sha256)).toBe(false);
        expect(verifyInclusion({ ...good, path: [...path, root] }, sha256)).toBe(false);
        const bent = path.map((hash) => hash.slice());
        bent[where % bent.length]![where % 32]! ^= mask | 1;
        expect(verifyInclusion({ ...good, path: bent }, sha256)).toBe(false);
      }),
    );
  });

  it('refuses meaningless arguments', () => {
    const [leaf] = leaves(1) as [Uint8Array];
    expect(rootFromPath(leaf, 0, 1, [], sha256)).toEqual(leaf);
    for (const [index, size] of [
      [1, 1],
      [-1, 1],
      [0, 0],
      [0.5, 2],
      [0, 2 ** 60],
      [NaN, 1],
    ] as const) {
      expect(rootFromPath(leaf, index, size, [], sha256)).toBeNull();
    }
    expect(rootFromPath(leaf.slice(1), 0, 1, [], sha256)).toBeNull();
    expect(rootFromPath(leaf, 0, 2, [leaf.slice(1)], sha256)).toBeNull();
    expect(() => new MerkleTree([leaf], sha256).path(1)).toThrow(RangeError);
    expect(toHex(new MerkleTree([], sha256).root())).toBe(toHex(sha256(new Uint8Array(0))));
    expect(merkleRoot([], sha256)).toEqual(mth([]));
  });

  it('handles sizes beyond 32 bits', () => {
    const [leaf] = leaves(1) as [Uint8Array];
    const path = Array.from({ length: 41 }, () => leaf);
    expect(rootFromPath(leaf, 2 ** 40, 2 ** 41, path, sha256)).not.toBeNull();
    expect(rootFromPath(leaf, 2 ** 40, 2 ** 41, path.slice(1), sha256)).toBeNull();
  });

  it('shows by a consistency proof that it grew, and by no other', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), fc.nat(), fc.nat(), (size2, at, where) => {
        const size1 = 1 + (at % size2);
        const hashes = leaves(size2);
        const proof = subproof(size1, hashes, true);
        const claim = { size1, size2, root1: mth(hashes.slice(0, size1)), root2: mth(hashes), proof };
        expect(verifyConsistency(claim, sha256)).toBe(true);
        expect(verifyConsistency({ ...claim, proof: [...proof, claim.root1] }, sha256)).toBe(false);
        expect(verifyConsistency({ ...claim, root2: leafHash(claim.root2, sha256) }, sha256)).toBe(false);
        expect(verifyConsistency({ ...claim, root1: leafHash(claim.root1, sha256) }, sha256)).toBe(false);
        if (proof.length === 0) return;
        const bent = proof.map((hash) => hash.slice());
        bent[where % bent.length]![where % 32]! ^= 1;
        expect(verifyConsistency({ ...claim, proof: bent }, sha256)).toBe(false);
        expect(verifyConsistency({ ...claim, proof: proof.slice(1) }, sha256)).toBe(false);
        expect(verifyConsistency({ ...claim, proof: proof.map((hash) => hash.slice(1)) }, sha256)).toBe(false);
      }),
    );
  });

  it('takes a million leaves without recursion', () => {
    const range = new CompactRange(sha256);
    const [leaf] = leaves(1) as [Uint8Array];
    // A cheap substitute: the test counts calls.
    const cheap = new CompactRange((input) => input.slice(1, 33));
    for (let i = 0; i < 1_000_000; i += 1) cheap.append(leaf);
    for (let i = 0; i < 1000; i += 1) range.append(leaf);
    expect(cheap.size).toBe(1_000_000);
    expect(cheap.root()).toEqual(leaf);
    expect(range.root()).toEqual(
      new MerkleTree(
        Array.from({ length: 1000 }, () => leaf),
        sha256,
      ).root(),
    );
  });
});
