import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type {
  AgentFacts,
  ArchivedEvent,
  ComplianceScope,
  EventArchive,
  Framework,
  JsonValue,
  LeafEvent,
  Opening,
  ProofSource,
  SignedPackage,
} from '@countersign/contracts';
import {
  canonicalBytes,
  commit,
  contentHash,
  keyId,
  leafHashOf,
  packageTimestamp,
  plainEnvelope,
  plainLeaf,
  signPackage,
  toBase64Url,
  toHex,
  utf8,
  uuidV7,
  windowMemo,
  windowTree,
  type ChainTransaction,
  type VerifyOptions,
} from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { loadControlMapping } from '../mapping/control-mapping.js';
import { recompute } from '../recompute/recompute.js';
import { AUDIT } from './audited.test-kit.js';
import { buildContent } from './build-content.js';

const { sha256 } = nodeCrypto;
const AGENT = '0198a1b2-0000-7000-8000-00000000000a';
const OTHER_AGENT = '0198a1b2-0000-7000-8000-00000000000b';
const START = Date.parse('2026-03-02T10:00:00.000Z');
const ISSUED_AT = '2026-03-02T12:00:00.000Z';
const WINDOW_MS = 300_000;
const NETWORK = 'solana:devnet';
const AUTHORITY = {
  address: 'Go1denGo1denGo1denGo1denGo1denGo1denGo1denGo',
  network: NETWORK,
  validFrom: null,
  validTo: null,
};
/** Everything declared, so that every conditional row is listed. */
const SCOPE: ComplianceScope = {
  soc2: { categories: ['availability', 'processing-integrity', 'confidentiality', 'privacy'] },
  hipaa: { ephi: true },
  euaiact: { classification: 'high-risk-annex-iii' },
  nydfs: { coveredEntity: true },
};
const SEED = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]);
const privateKey = createPrivateKey({ key: SEED, format: 'der', type: 'pkcs8' });
const publicKey = new Uint8Array(createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32));
const PROFILE = { mode: 'observe', off_limits_actions: ['wire'], version: 2 };

interface Draft {
  readonly leaf: Partial<LeafEvent> & Pick<LeafEvent, 'type'>;
  readonly action?: JsonValue;
  readonly category?: string;
}

const check = (action: Record<string, JsonValue>, leaf: Partial<LeafEvent> = {}, category?: string): Draft => ({
  leaf: {
    ...{ type: 'action.checked', outcome: 'allowed', allowed: true, profileVersion: 1, profileSha256: 'ab'.repeat(32) },
    actionKind: action['type'] as LeafEvent['actionKind'],
    ...leaf,
  },
  action,
  ...(category === undefined ? {} : { category }),
});
const denied = (violation: LeafEvent['violation_type'], rule: string): Partial<LeafEvent> => ({
  ...{ outcome: 'denied', allowed: false, violation_type: violation, severity: 'P2' },
  ...{ rule, reason: 'A rule of the profile denies the action.' },
});

/** Every situation of the mapping, every status, and kinds of events without a control. */
const DRAFTS: readonly Draft[] = [
  { leaf: { type: 'agent.created' }, action: { name: 'clerk' } },
  check({ type: 'tool_use', tool_name: 'search_orders' }),
  check({ type: 'http_call', url: 'https://api.example.com/v1/orders', estimatedCost: 1.25 }),
  check({ type: 'llm_response', model: 'small' }),
  check({ type: 'data_access', dataScope: 'orders' }),
  check({ type: 'data_access' }),
  check({ type: 'tool_use', tool_name: 'wire' }, denied('off_limits_action', 'off_limits_actions:wire')),
  { leaf: { type: 'action.outcome', refersTo: idOf(7), outcome: 'succeeded' } },
  check({ type: 'data_access', dataScope: 'health' }, denied('data_scope_denied', 'blocked_data_scopes:health')),
  check({ type: 'tool_use', tool_name: 'search_orders' }, denied('rate_limit_exceeded', 'rate_limit:60')),
  check(
    { type: 'tool_use', tool_name: 'book', estimatedCost: 500 },
    denied('spending_limit_exceeded', 'spending_limit:300'),
  ),
  check({ type: 'llm_response', model: 'small' }, denied('unsafe_output', 'output_rules:max_length'), 'length'),
  check({ type: 'llm_response', model: 'small' }, denied('unsafe_output', 'output_rules:blocked_pii'), 'pii'),
  check({ type: 'http_call', url: 'https://other.example.com/' }, denied('api_not_allowed', 'allowed_apis')),
  { leaf: { type: 'action.outcome', refersTo: idOf(14), outcome: 'skipped' } },
  { leaf: { type: 'agent.frozen' }, action: { reason: 'looked at', by: { kind: 'user', id: 'u' } } },
  check(
    { type: 'tool_use', tool_name: 'search_orders' },
    { outcome: 'frozen', allowed: false, severity: 'P1', reason: 'The agent is frozen.' },
  ),
  { leaf: { type: 'agent.unfrozen' }, action: { reason: null, by: { kind: 'user', id: 'u' } } },
  {
    leaf: { type: 'profile.changed', profileVersion: 2, profileSha256: toHex(sha256(canonicalBytes(PROFILE))) },
    action: { profile: PROFILE, by: { kind: 'user', id: 'u' } },
  },
  check(
    { type: 'tool_use', tool_name: 'wire' },
    {
      ...{ violation_type: 'off_limits_action', severity: 'P2', rule: 'off_limits_actions:wire' },
      reason: 'Observe mode let it pass.',
    },
  ),
  check({ type: 'other', what: 'a thing of its own' }),
];
/** The last of them are not anchored yet. */
const ANCHORED = DRAFTS.length - 2;

function idOf(sequence: number): string {
  return uuidV7(START + sequence * 20_000, sha256(utf8(`golden ${sequence}`)).subarray(0, 10));
}

function archived({ leaf, action, category }: Draft, i: number): ArchivedEvent {
  const sequence = i + 1;
  const salt = toBase64Url(sha256(utf8(`salt ${sequence}`)).subarray(0, 16));
  const opening: Opening | undefined = action === undefined ? undefined : { salt, value: action };
  const event = plainLeaf({
    ...{ eventId: idOf(sequence), agentId: AGENT, ...leaf },
    occurredAt: new Date(START + sequence * 20_000).toISOString(),
    action: action === undefined ? null : commit('action', salt, action, sha256),
  });
  const envelope = plainEnvelope(event, {
    ...{ accountId: 'a', cadenceSeconds: 300, apiKeyId: null },
    openings: opening === undefined ? {} : { action: opening },
  });
  return {
    sequence,
    erased: false,
    envelope: { ...envelope, answer: category === undefined ? null : { category } },
  };
}

const events = DRAFTS.map(archived);
const leaves = events.map(({ envelope }) => envelope.leaf);
const hashes = leaves.map((leaf) => leafHashOf(leaf, sha256));
const tree = windowTree(
  [
    { agentId: AGENT, firstSequence: 1, leaves: hashes.slice(0, ANCHORED) },
    { agentId: OTHER_AGENT, firstSequence: 8, leaves: [sha256(utf8('neighbour'))] },
  ],
  sha256,
);
const own = tree.agents.find(({ agentId }) => agentId === AGENT)!;
const label = { windowStart: new Date(START).toISOString(), windowEnd: new Date(START + WINDOW_MS).toISOString() };
const proofs: ProofSource = {
  windows: async () => [
    {
      ...{ ...label, merkleRoot: tree.merkleRoot, txSignature: '5'.repeat(88), network: NETWORK },
      ...{ blockHeight: 400, anchoredAt: '2026-03-02T10:05:20.000Z' },
      ...{ leaf: own.leaf, leafIndex: own.leafIndex, treeSize: tree.treeSize, path: own.path },
    },
  ],
  leafHashes: async (_agent, first, last) => hashes.slice(first - 1, last).map(toHex),
  proof: async () => null,
};

const facts: AgentFacts = {
  ...{ name: 'clerk', type: 'assistant', purpose: 'answers customers', version: '1', status: 'active' },
  ...{ blockchain_ssn: null, wallet_address: null, chain_tx_signature: null },
} as unknown as AgentFacts;

/** The package of these events for these frameworks, signed by a test key: the same bytes on every run. */
export async function goldenPackage(frameworks: readonly Framework[]): Promise<SignedPackage> {
  const about = (id: string): readonly ArchivedEvent[] =>
    events.filter(({ envelope }) => envelope.leaf.refersTo === id);
  const built = await buildContent(
    {
      reportId: '0198a1b2-0000-4000-8000-000000000001',
      request: {
        ...{ agentIds: [AGENT], format: 'json', frameworks, withhold: [] },
        ...{ from: new Date(START).toISOString(), to: ISSUED_AT },
      },
      agents: [{ id: AGENT, facts }],
      runs: [{ agentId: AGENT, events }],
      referring: new Map(leaves.map(({ eventId }) => [eventId, about(eventId)])),
      referred: new Map(leaves.map((leaf) => [leaf.eventId, leaf])),
      scope: SCOPE,
      anchorAuthorities: [AUTHORITY],
      generatorVersion: '1.0.0',
      audit: AUDIT,
    },
    loadControlMapping(nodeCrypto),
    proofs,
    nodeCrypto,
  );
  const content = { ...built, redecision: recompute(built.events).statement! };
  const publicKeyUrl = `https://countersign.example/v1/keys/${keyId(publicKey, sha256)}`;
  const timestamp = packageTimestamp(contentHash(content, sha256), ISSUED_AT, null);
  return signPackage(content, timestamp, { publicKeyUrl, sign: (bytes) => sign(null, bytes, privateKey) }, sha256);
}

/** The range that the package of these events covers, and the archive that has them. */
export const GOLDEN_RANGE = {
  agentIds: [AGENT],
  from: new Date(START).toISOString(),
  to: ISSUED_AT,
  scope: SCOPE,
} as const;
export const GOLDEN_ARCHIVE: Pick<EventArchive, 'span' | 'range' | 'referring' | 'leaves'> = {
  span: async (agentId, from, to) => {
    const found = events.filter(({ envelope: { leaf } }) => leaf.occurredAt >= from && leaf.occurredAt < to);
    return agentId !== AGENT || found.length === 0 ? null : { first: found[0]!.sequence, last: found.at(-1)!.sequence };
  },
  range: async (_agent, first, last, limit) =>
    events.filter(({ sequence }) => sequence >= first && sequence <= last).slice(0, limit),
  referring: async (ids) => events.filter(({ envelope }) => ids.includes(envelope.leaf.refersTo ?? '')),
  leaves: async (ids) => leaves.filter(({ eventId }) => ids.includes(eventId)),
};

/** Options that verify it completely: the key, and the chain's facts about its window. */
export function goldenOptions(): VerifyOptions {
  const memo = windowMemo({
    ...{ root: tree.merkleRoot, prev: null, agents: tree.treeSize, events: tree.eventCount },
    ...{ windowStart: label.windowStart, durationSeconds: WINDOW_MS / 1000 },
  });
  const window: ChainTransaction = {
    ...{ succeeded: true, finalized: true, signers: [AUTHORITY.address], memos: [memo] },
    ...{ blockTime: '2026-03-02T10:05:20.000Z', blockHeight: 400, slot: 420, confirmations: null },
  };
  return {
    crypto: nodeCrypto,
    keys: [{ publicKey, status: 'active', validFrom: null, validTo: null }],
    chain: { network: NETWORK, authorities: [AUTHORITY], transactions: new Map([['5'.repeat(88), window]]) },
  };
}
