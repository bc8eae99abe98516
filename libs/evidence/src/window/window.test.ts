import fc from 'fast-check';
import { nodeCrypto } from '../../vectors/node-crypto.mjs';
import { toHex } from '../encoding/hex.js';
import { utf8 } from '../encoding/text.js';
import { canonicalBytes } from '../json/canonicalize.js';
import { leafHash } from '../merkle/hash.js';
import { MerkleTree } from '../merkle/tree.js';
import {
  parseRegistrationMemo,
  parseReportMemo,
  parseWindowMemo,
  registrationMemo,
  reportMemo,
  windowMemo,
} from '../chain/memo.js';
import { blockchainSsn, readSsn } from '../registration/ssn.js';
import { proofFor, unanchored } from './proof.js';
import { agentKey, pathBytes, windowLeafBytes, windowTree } from './window-tree.js';

const { sha256 } = nodeCrypto;
const hashes = (label: string, n: number): Uint8Array[] =>
  Array.from({ length: n }, (_, i) => leafHash(utf8(`${label}${i}`), sha256));

describe('windowTree', () => {
  const agents = ['b', 'A', 'c'].map((agentId, i) => ({
    agentId,
    firstSequence: 10 * i + 1,
    leaves: hashes(agentId, i + 1),
  }));

  it('orders agents by their key and gives each its index', () => {
    const tree = windowTree(agents, sha256);
    const keys = tree.agents.map((agent) => agent.agentKey);
    expect(keys).toEqual([...keys].sort());
    expect(keys).toContain(agentKey('a', sha256));
    expect([tree.treeSize, tree.eventCount]).toEqual([3, 6]);
    for (const agent of tree.agents) {
      expect(windowLeafBytes(agent.leaf)).toEqual(canonicalBytes(agent.leaf));
      expect(agent.leaf.count).toBe(agent.leaf.lastSequence - agent.leaf.firstSequence + 1);
    }
    expect(windowTree([...agents].reverse(), sha256)).toEqual(tree);
  });

  it('takes counted roots in place of leaves', () => {
    const counted = agents.map(({ leaves, ...agent }) => ({
      ...agent,
      leaves: { count: leaves.length, root: new MerkleTree(leaves, sha256).root() },
    }));
    expect(windowTree(counted, sha256)).toEqual(windowTree(agents, sha256));
  });

  it('refuses no agents, no events and an agent twice', () => {
    expect(() => windowTree([], sha256)).toThrow(RangeError);
    expect(() => windowTree([{ agentId: 'a', firstSequence: 1, leaves: [] }], sha256)).toThrow(RangeError);
    expect(() => windowTree([...agents, { ...agents[1]!, agentId: 'a' }], sha256)).toThrow(RangeError);
    expect(pathBytes(['zz'])).toBeNull();
  });
});

describe('proofFor', () => {
  const leaves = hashes('e', 3);
  const tree = windowTree([{ agentId: 'a', firstSequence: 5, leaves }], sha256);
  const { leaf, leafIndex, path } = tree.agents[0]!;
  const place = {
    ...{ leaf, leafIndex, path, treeSize: 1, merkleRoot: tree.merkleRoot },
    ...{ txSignature: 'tx', network: 'solana:localnet' },
    ...{ windowStart: '2026-01-01T00:00:00.000Z', windowEnd: '2026-01-01T00:00:01.000Z' },
  };

  it('refuses another tree and a sequence outside', () => {
    const agentTree = new MerkleTree(leaves, sha256);
    expect(proofFor({ eventId: 'x', sequence: 6 }, agentTree, place)).toMatchObject({ leafIndex: 1, treeSize: 3 });
    expect(() => proofFor({ eventId: 'x', sequence: 8 }, agentTree, place)).toThrow(RangeError);
    expect(() => proofFor({ eventId: 'x', sequence: 6 }, new MerkleTree(hashes('f', 3), sha256), place)).toThrow(
      RangeError,
    );
    expect(unanchored('x')).toEqual({ eventId: 'x', anchored: false });
  });
});

describe('memos', () => {
  const root = 'ab'.repeat(32);

  it('are written exactly', () => {
    const memo = {
      root,
      prev: null,
      windowStart: '2026-01-01T00:00:00.000Z',
      durationSeconds: 300,
      agents: 2,
      events: 3,
    };
    expect(windowMemo(memo)).toBe(
      `countersign/1 root=${root} prev=0 window=2026-01-01T00:00:00.000Z/PT5M agents=2 events=3`,
    );
    expect(reportMemo(root)).toBe(`countersign/1 report=${root}`);
    expect(registrationMemo('A', sha256)).toBe(`countersign/1 register=${toHex(sha256(utf8('a')))}`);
  });

  it('are read back, and nothing else is', () => {
    const start = fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true });
    const whole = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(
        start,
        fc.option(fc.constant(root)),
        fc.integer({ min: 1, max: 1e6 }),
        whole,
        whole,
        (at, prev, s, a, e) => {
          const memo = { root, prev, windowStart: at.toISOString(), durationSeconds: s, agents: a, events: e };
          const text = windowMemo(memo);
          expect(parseWindowMemo(text)).toEqual(memo);
          for (const other of [
            `${text} `,
            ` ${text}`,
            text.replace('/1', '/2'),
            `${text}0.5`,
            text.replace('agents=', 'agents=0'),
          ]) {
            expect(parseWindowMemo(other)).toBeNull();
          }
        },
      ),
    );
    expect(
      parseWindowMemo(`countersign/1 root=${root} prev=0 window=2026-01-01T00:00:00.000Z/PT60S agents=1 events=1`),
    ).toBeNull();
    expect(parseWindowMemo(`countersign/1 root=${root} prev=0 window=2026-01-01/PT1S agents=1 events=1`)).toBeNull();
    expect(
      parseWindowMemo(
        `countersign/1 root=${root} prev=0 window=2026-01-01T00:00:00.000Z/PT1S agents=9007199254740993 events=1`,
      ),
    ).toBeNull();
    expect(parseReportMemo(reportMemo(root))).toBe(root);
    expect(parseReportMemo(`${reportMemo(root)}0`)).toBeNull();
    expect(parseRegistrationMemo(registrationMemo('a', sha256))).toBe(agentKey('a', sha256));
    expect(parseRegistrationMemo('countersign/1 register=')).toBeNull();
  });
});

describe('blockchainSsn', () => {
  const registration = (agentId: string) => ({ agentId, transactionSignature: 'sig', walletAddress: 'wallet' });
  const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

  it('is the first 75 bits of the hash, in groups, with a check character', () => {
    const ssn = blockchainSsn(registration('AGENT'), sha256);
    expect(ssn).toMatch(/^CSN-[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
    const bits = [...sha256(canonicalBytes(registration('agent')))]
      .map((byte) => byte.toString(2).padStart(8, '0'))
      .join('');
    const data = Array.from({ length: 15 }, (_, i) => ALPHABET[parseInt(bits.slice(5 * i, 5 * i + 5), 2)]!).join('');
    expect(ssn.replaceAll('-', '').slice(3, 18)).toBe(data);
  });

  it('is read in either case; any single wrong character is refused', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.constantFrom(...ALPHABET, ...'ILOU-*ı'), (id, at, character) => {
        const ssn = blockchainSsn(registration(id), sha256);
        expect(readSsn(ssn)).toBe(ssn);
        expect(readSsn(ssn.toLowerCase())).toBe(ssn);
        const i = at % ssn.length;
        if (ssn[i] !== character) expect(readSsn(ssn.slice(0, i) + character + ssn.slice(i + 1))).toBeNull();
      }),
      { numRuns: 1000 },
    );
    for (const other of ['', 'CSN-', 'ﬁSN-0000-0000-0000-0000']) expect(readSsn(other)).toBeNull();
  });
});
