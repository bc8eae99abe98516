import type { AgentFacts } from '@countersign/contracts';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { loadControlMapping } from '../mapping/control-mapping.js';
import { issueReport, type Issuer } from './issue.js';

const AGENT = '0198a1b2-0000-7000-8000-00000000000a';

const FACTS = {
  ...{ name: 'clerk', type: null, purpose: null, version: null, status: 'active' },
  ...{ blockchain_ssn: null, wallet_address: null, chain_tx_signature: null },
} as unknown as AgentFacts;

/** An issuer of a report without events, and its steps after the body was stored. */
function issuerOf(parts: Partial<Issuer>): { readonly issuer: Issuer; readonly steps: string[] } {
  const steps: string[] = [];
  const issuer = {
    archive: { span: async () => null, referring: async () => [], leaves: async () => [] },
    proofs: { windows: async () => [], leafHashes: async () => [], proof: async () => null },
    mapping: loadControlMapping(nodeCrypto),
    store: {
      scope: async () => ({}),
      enqueue: async () => undefined,
      addReport: async () => void steps.push('recorded'),
    },
    blobs: { put: async () => void steps.push('stored') },
    recomputer: { requireRoom: () => undefined, isSmall: () => true, statement: async () => null },
    ...{ crypto: nodeCrypto, generatorVersion: '1.0.0', anchorWaitMs: 1 },
    signer: async () => ({ keyId: 'key_0', publicKey: new Uint8Array(32), sign: async () => new Uint8Array(64) }),
    ...{ authorities: async () => [], publicUrl: () => 'https://countersign.example', now: async () => 0 },
    flush: async () => void (steps.length > 0 && steps.push('published')),
    recorded: async () => [],
    requireUnerased: async () => void steps.push('checked'),
    anchorOf: async () => null,
    ...parts,
  } as unknown as Issuer;
  return { issuer, steps };
}

const PREPARER = {
  accountName: 'Example Ltd',
  userId: '0198a1b2-0000-4000-8000-000000000002',
  email: 'ana@example.com',
};

describe('a report that is issued', () => {
  const issued = (issuer: Issuer): Promise<unknown> =>
    issueReport(issuer, 'a', PREPARER, [{ id: AGENT, facts: FACTS }], {
      ...{ agentIds: [AGENT], format: 'json', frameworks: ['soc2'], withhold: [] },
      ...{ from: '2026-03-02T10:00:00.000Z', to: '2026-03-02T12:00:00.000Z' },
    });

  it('is stored, recorded, checked against erasures, and published', async () => {
    const { issuer, steps } = issuerOf({});
    await issued(issuer);
    expect(steps).toEqual(['stored', 'recorded', 'checked', 'published']);
  });

  it('is not begun where its verdicts cannot be computed', async () => {
    const refused = (): Promise<never> => Promise.reject(new Error('refused'));
    const { issuer, steps } = issuerOf({
      recomputer: { requireRoom: () => undefined, isSmall: () => true, statement: refused },
    });
    const requested: unknown[] = [];
    const store = { ...issuer.store, enqueue: async (records: unknown) => void requested.push(records) };
    await expect(issued({ ...issuer, store })).rejects.toThrow('refused');
    expect({ steps, requested }).toEqual({ steps: [], requested: [] });
  });

  it('is checked against erasures also if it cannot be published', async () => {
    const { issuer, steps } = issuerOf({
      flush: () => (steps.includes('recorded') ? Promise.reject(new Error('no log')) : Promise.resolve()),
    });
    await expect(issued(issuer)).rejects.toThrow('no log');
    expect(steps).toEqual(['stored', 'recorded', 'checked']);
  });
});
