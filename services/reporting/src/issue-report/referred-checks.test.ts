import { generateKeyPairSync, sign } from 'node:crypto';
import type { AgentFacts, ArchivedEvent, EventArchive, LeafEvent, ProofSource } from '@countersign/contracts';
import {
  contentHash,
  keyId,
  packageTimestamp,
  plainEnvelope,
  plainLeaf,
  signPackage,
  STATUS_VERDICTS,
  uuidV7,
  verifyPackage,
} from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { loadControlMapping } from '../mapping/control-mapping.js';
import { AUDIT } from './audited.test-kit.js';
import { buildContent } from './build-content.js';
import { collectReferred } from './collect-events.js';
import type { ExportRequest } from './request.js';

const AGENT = '0198a1b2-0000-7000-8000-00000000000a';
const OTHER = '0198a1b2-0000-7000-8000-00000000000b';
const START = Date.parse('2026-03-02T10:00:00.000Z');
const HASH = 'ab'.repeat(32);

const at = (n: number): string => new Date(START + n * 1000).toISOString();
const id = (n: number): string =>
  uuidV7(
    START + n * 1000,
    Uint8Array.from({ length: 10 }, (_, i) => (n + i) % 256),
  );

function leaf(n: number, given: Partial<LeafEvent>, agentId = AGENT): LeafEvent {
  return plainLeaf({ type: 'action.checked', eventId: id(n), agentId, occurredAt: at(n), ...given });
}

const denied = (n: number, agentId = AGENT): LeafEvent =>
  leaf(
    n,
    {
      outcome: 'denied',
      allowed: false,
      reason: 'The action is off limits.',
      severity: 'P1',
      violation_type: 'off_limits_action',
      rule: 'off_limits_actions:wire',
      actionKind: 'tool_use',
      profileVersion: 1,
      profileSha256: HASH,
      action: HASH,
    },
    agentId,
  );

const outcome = (n: number, refersTo: string, said: 'succeeded' | 'skipped' = 'succeeded'): LeafEvent =>
  leaf(n, { type: 'action.outcome', refersTo, outcome: said });

const archived = (sequence: number, event: LeafEvent): ArchivedEvent => ({
  sequence,
  erased: false,
  envelope: plainEnvelope(event, { accountId: 'a', cadenceSeconds: 1, apiKeyId: null, openings: {} }),
});

function archiveOf(...stored: readonly LeafEvent[]): EventArchive & { readonly asked: (readonly string[])[] } {
  const asked: (readonly string[])[] = [];
  const leaves = (ids: readonly string[]): Promise<readonly LeafEvent[]> => {
    asked.push(ids);
    return Promise.resolve(stored.filter(({ eventId }) => ids.includes(eventId)));
  };
  return { asked, leaves } as unknown as EventArchive & { readonly asked: (readonly string[])[] };
}

const run = (...events: readonly LeafEvent[]): { agentId: string; events: ArchivedEvent[] } => ({
  agentId: AGENT,
  events: events.map((event, i) => archived(i + 11, event)),
});

describe('the checks that outcomes refer to', () => {
  it('are fetched from the archive by their ids, in batches, unless the run has them', async () => {
    const inside = denied(1);
    const outside = Array.from({ length: 1500 }, (_, i) => denied(i + 100));
    const archive = archiveOf(...outside);
    const outcomes = outside.map(({ eventId }, i) => outcome(i + 5000, eventId));
    const referred = await collectReferred(archive, [run(inside, outcome(2, inside.eventId), ...outcomes)]);
    expect(archive.asked.map((ids) => ids.length)).toEqual([1000, 500]);
    expect(archive.asked.flat()).not.toContain(inside.eventId);
    expect(referred.size).toBe(1501);
    expect(referred.get(inside.eventId)).toBe(inside);
    expect(referred.get(outside[1499]!.eventId)).toEqual(outside[1499]);
  });

  it('exclude those of other agents, and missing ones', async () => {
    const strange = denied(1, OTHER);
    const referred = await collectReferred(archiveOf(strange), [run(outcome(5, strange.eventId), outcome(6, id(2)))]);
    expect([...referred.keys()]).toEqual([]);
  });

  it('are not fetched if no outcome was reported', async () => {
    const archive = archiveOf();
    await collectReferred(archive, [run(denied(1))]);
    expect(archive.asked).toEqual([]);
  });
});

describe('an outcome whose check is before the range', () => {
  const facts: AgentFacts = {
    name: 'agent',
    type: null,
    purpose: null,
    version: null,
    status: 'active',
    blockchain_ssn: null,
    wallet_address: null,
    chain_tx_signature: null,
  } as unknown as AgentFacts;
  const request: ExportRequest = {
    agentIds: [AGENT],
    format: 'json',
    frameworks: ['soc2'],
    from: at(50),
    to: at(100),
    withhold: [],
  };
  const proofs: ProofSource = {
    windows: () => Promise.resolve([]),
    leafHashes: () => Promise.resolve([]),
    proof: () => Promise.resolve(null),
  };
  const refused = denied(1);
  const passed = leaf(2, {
    ...refused,
    outcome: 'allowed',
    allowed: true,
    violation_type: null,
    rule: null,
    reason: null,
    severity: null,
    eventId: id(2),
  });

  it('is judged by it, and the package contains only that status', async () => {
    const outcomes = run(
      outcome(60, refused.eventId),
      outcome(61, refused.eventId, 'skipped'),
      outcome(62, passed.eventId),
    );
    const content = await buildContent(
      {
        reportId: '0198a1b2-0000-4000-8000-000000000001',
        request,
        agents: [{ id: AGENT, facts }],
        runs: [outcomes],
        referring: new Map(),
        referred: await collectReferred(archiveOf(refused, passed), [outcomes]),
        scope: {},
        anchorAuthorities: [],
        generatorVersion: '1',
        audit: AUDIT,
      },
      loadControlMapping(nodeCrypto),
      proofs,
      nodeCrypto,
    );
    const { execution, satisfied } = STATUS_VERDICTS;
    expect(content.events.map(({ status, statusReason }) => ({ status, statusReason }))).toEqual([
      execution,
      satisfied,
      satisfied,
    ]);
    expect(content.summary).toMatchObject({ events: 3, gap: 1, satisfied: 2 });
    expect(JSON.stringify(content.events)).not.toContain('off_limits');
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    const url = `http://127.0.0.1/v1/keys/${keyId(raw, nodeCrypto.sha256)}`;
    const timestamp = packageTimestamp(contentHash(content, nodeCrypto.sha256), at(100), null);
    const signed = signPackage(
      content,
      timestamp,
      { publicKeyUrl: url, sign: (bytes) => sign(null, bytes, privateKey) },
      nodeCrypto.sha256,
    );
    expect(verifyPackage(signed, { crypto: nodeCrypto, keys: null, chain: null }).problems).toEqual([]);
  });
});
