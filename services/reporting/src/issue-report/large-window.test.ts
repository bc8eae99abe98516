import type { AgentFacts, ArchivedEvent, ProofSource } from '@countersign/contracts';
import {
  leafHashOf,
  plainEnvelope,
  plainLeaf,
  toHex,
  utf8,
  uuidV7,
  verifyEventProof,
  windowTree,
} from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { loadControlMapping } from '../mapping/control-mapping.js';
import { AUDIT } from './audited.test-kit.js';
import { buildContent } from './build-content.js';

const { sha256 } = nodeCrypto;
const AGENT = '0198a1b2-0000-7000-8000-00000000000a';
const START = Date.parse('2026-03-02T10:00:00.000Z');
const FROM = '2026-03-02T10:00:00.000Z';
const TO = '2026-03-02T11:00:00.000Z';
/** Page size of anchoring. */
const AT_A_TIME = 100_000;

describe('an event in a window with more of its agent’s leaves than one page', () => {
  it('is proven at any position', async () => {
    const count = 2 * AT_A_TIME + 1;
    const sequence = AT_A_TIME + 7;
    const leaf = plainLeaf({
      ...{ type: 'agent.unfrozen', eventId: uuidV7(START, sha256(utf8('event')).subarray(0, 10)), agentId: AGENT },
      ...{ occurredAt: FROM, action: 'ab'.repeat(32) },
    });
    const filler = sha256(utf8('another event'));
    const hashes = Array.from({ length: count }, (_, i) => (i + 1 === sequence ? leafHashOf(leaf, sha256) : filler));
    const tree = windowTree([{ agentId: AGENT, firstSequence: 1, leaves: hashes }], sha256);
    const [own] = tree.agents;
    const asked: number[] = [];
    const source: ProofSource = {
      windows: async () => [
        {
          ...{ windowStart: FROM, windowEnd: TO, merkleRoot: tree.merkleRoot, network: 'solana:devnet' },
          ...{ txSignature: '5'.repeat(88), blockHeight: 1, anchoredAt: TO },
          ...{ leaf: own!.leaf, leafIndex: 0, treeSize: 1, path: [] },
        },
      ],
      leafHashes: async (_agent, first, last) => {
        asked.push(last - first + 1);
        return hashes.slice(first - 1, last).map(toHex);
      },
      proof: async () => null,
    };
    const event: ArchivedEvent = {
      ...{ sequence, erased: false },
      envelope: plainEnvelope(leaf, { accountId: 'a', cadenceSeconds: 3600, apiKeyId: null, openings: {} }),
    };
    const content = await buildContent(
      {
        reportId: '0198a1b2-0000-4000-8000-000000000001',
        request: { agentIds: [AGENT], format: 'json', frameworks: ['soc2'], from: FROM, to: TO, withhold: [] },
        agents: [{ id: AGENT, facts: { name: 'agent', status: 'active' } as unknown as AgentFacts }],
        runs: [{ agentId: AGENT, events: [event] }],
        ...{
          referring: new Map(),
          referred: new Map(),
          scope: {},
          anchorAuthorities: [],
          generatorVersion: '1',
          audit: AUDIT,
        },
      },
      loadControlMapping(nodeCrypto),
      source,
      nodeCrypto,
    );
    expect(asked).toEqual([AT_A_TIME, AT_A_TIME, 1]);
    const [proof] = content.inclusionProofs;
    expect(proof).toMatchObject({ anchored: true, leafIndex: sequence - 1, treeSize: count });
    expect(verifyEventProof(leaf, proof, { crypto: nodeCrypto, chain: null }).problems).toEqual([]);
  });
});
