import { generateKeyPairSync, sign } from 'node:crypto';
import { accountStream } from '@countersign/contracts';
import type { AgentFacts, ArchivedEvent, JsonValue, LeafEvent, Openings, SignedPackage } from '@countersign/contracts';
import {
  accountEvent,
  commit,
  commitV2,
  contentHash,
  keyId,
  leafHashOf,
  packageTimestamp,
  plainEnvelope,
  plainLeaf,
  signPackage,
  STATUS_VERDICTS,
  uuidV7,
  type VerificationResult,
  verifyPackage,
} from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { loadControlMapping } from '../mapping/control-mapping.js';
import { AUDIT } from './audited.test-kit.js';
import { buildContent } from './build-content.js';
import type { ExportRequest } from './request.js';
import { trailOf, withTrail } from './trail.js';

const { sha256 } = nodeCrypto;
const AGENT = '0198a1b2-0000-7000-8000-00000000000a';
const START = Date.parse('2026-03-02T10:00:00.000Z');
const SALT = 'AAAAAAAAAAAAAAAAAAAAAA';
const at = (n: number): string => new Date(START + n * 1000).toISOString();
const ALLOWED = { outcome: 'allowed', allowed: true } as const;
const DENIED = { outcome: 'denied', allowed: false, reason: 'No.', severity: 'P2' } as const;

function archived(n: number, given: Partial<LeafEvent>, action: JsonValue, context?: JsonValue): ArchivedEvent {
  const v2 = context !== undefined;
  const leaf = plainLeaf({
    ...{ v: v2 ? 2 : 1, type: 'action.checked', agentId: AGENT, occurredAt: at(n) },
    eventId: uuidV7(START + n * 1000, new Uint8Array(10)),
    ...{ actionKind: 'tool_use', profileVersion: 1, profileSha256: '0'.repeat(64) },
    action: (v2 ? commitV2 : commit)('action', SALT, action, sha256),
    ...(v2 ? { context: commitV2('context', SALT, context, sha256), coverage: ['rules'] } : {}),
    ...given,
  });
  const openings: Openings = {
    action: { salt: SALT, value: action },
    ...(v2 ? { context: { salt: SALT, value: context } } : {}),
  };
  return {
    sequence: n,
    erased: false,
    envelope: plainEnvelope(leaf, { accountId: 'a', cadenceSeconds: 1, apiKeyId: null, openings }),
  };
}

function contextOf(n: number, effect: string): JsonValue {
  return {
    request_time: { seconds: START / 1000 + n, offsets: {} },
    effect,
    engine: { engine: '1', detectors: '1' },
    seen: {
      ...{ order: n, frozen: false, rate: null, limits: {} },
      plan: { used: 0, cap: null, expires: null },
      spent: { day: 0, month: 0 },
    },
    principal: 'anna',
  };
}

const erased = archived(5, ALLOWED, { type: 'tool_use' }, contextOf(5, 'allow'));
const events: readonly ArchivedEvent[] = [
  archived(1, ALLOWED, { type: 'tool_use', tool_name: 'search' }),
  archived(2, ALLOWED, { type: 'tool_use', tool_name: 'search' }, contextOf(2, 'allow')),
  archived(3, { ...DENIED, violation_type: 'rule_denied', rule: 'rules:a' }, { type: 'x' }, contextOf(3, 'deny')),
  archived(4, { ...ALLOWED, coverage: [] }, { type: 'tool_use' }, contextOf(4, 'allow')),
  { ...erased, erased: true, envelope: { ...erased.envelope, openings: {} } },
];

const ACCOUNT = '0198a1b2-0000-4000-8000-00000000000a';
const signIn: ArchivedEvent = {
  sequence: 4,
  erased: false,
  envelope: accountEvent(
    {
      ...{ type: 'account.sign_in', outcome: 'succeeded', by: { kind: 'user', id: ACCOUNT } },
      content: { email: 'anna@example.com', address: '192.0.2.7' },
    },
    {
      ...{ accountId: ACCOUNT, cadenceSeconds: 1, occurredAtMs: START + 9000 },
      entropy: { id: new Uint8Array(10), salt: new Uint8Array(16) },
    },
    sha256,
  ),
};

async function issued(withhold: ExportRequest['withhold'], trail?: ExportRequest['trail']): Promise<SignedPackage> {
  const facts = {
    ...{ name: 'agent', type: null, purpose: null, version: null, status: 'active' },
    ...{ blockchain_ssn: null, wallet_address: null, chain_tx_signature: null },
  } as unknown as AgentFacts;
  const request: ExportRequest = {
    ...{ agentIds: [AGENT], format: 'json', frameworks: ['soc2'], from: at(0), to: at(100), withhold },
    ...(trail === undefined ? {} : { trail }),
  };
  const isAll = trail !== undefined;
  const content = await buildContent(
    {
      ...{
        reportId: '0198a1b2-0000-4000-8000-000000000001',
        request,
        agents: [{ id: AGENT, facts }, ...(isAll ? [trailOf(ACCOUNT)] : [])],
      },
      runs: [{ agentId: AGENT, events }, ...(isAll ? [{ agentId: accountStream(ACCOUNT), events: [signIn] }] : [])],
      ...{ referring: new Map(), referred: new Map() },
      ...{ scope: {}, anchorAuthorities: [], generatorVersion: '1', audit: AUDIT },
    },
    loadControlMapping(nodeCrypto),
    { windows: async () => [], leafHashes: async () => [], proof: async () => null },
    nodeCrypto,
  );
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const publicKeyUrl = `http://127.0.0.1/v1/keys/${keyId(raw, sha256)}`;
  const timestamp = packageTimestamp(contentHash(content, sha256), at(100), null);
  return signPackage(content, timestamp, { publicKeyUrl, sign: (bytes) => sign(null, bytes, privateKey) }, sha256);
}

const verify = (pkg: SignedPackage): VerificationResult =>
  verifyPackage(pkg, { crypto: nodeCrypto, keys: null, chain: null });

describe('a report on leaves of both versions', () => {
  it('holds them as they were hashed, opened, and with their statuses, and verifies', async () => {
    const pkg = await issued([]);
    expect(verify(pkg).problems).toEqual([]);
    pkg.events.forEach(({ event, opened }, i) => {
      const { leaf, openings } = events[i]!.envelope;
      expect(leafHashOf(event, sha256)).toEqual(leafHashOf(leaf, sha256));
      expect(opened).toEqual(openings);
    });
    const { satisfied, prevented, ungoverned } = STATUS_VERDICTS;
    expect(pkg.events.map(({ status, statusReason }) => ({ status, statusReason }))).toEqual([
      ...[satisfied, satisfied, prevented, ungoverned, satisfied],
    ]);
    expect(pkg.summary).toMatchObject({ gap: 1, byViolation: { rule_denied: 1 } });
  });

  it('lists what people did apart from the agents, and withholds it unless it is asked for', async () => {
    const shown = async (...[withhold, trail]: Parameters<typeof issued>): Promise<string[]> => {
      const pkg = await issued(withhold, trail);
      expect(verify(pkg).problems).toEqual([]);
      expect(pkg.agents.map(({ count }) => count)).toEqual([events.length, 1]);
      expect(pkg.events.at(-1)!.event.detail).toBe(`user:${ACCOUNT}`);
      return Object.keys(pkg.events.at(-1)!.opened);
    };
    expect(await shown([], 'withheld')).toEqual([]);
    expect(await shown([], 'opened')).toEqual(['action']);
    expect(await shown(['action'], 'opened')).toEqual([]);
  });

  it('lists the trail of an account once it has an event before the end', async () => {
    const archive = {
      span: async (id: string, _from: string, to: string) =>
        id === accountStream(ACCOUNT) && to > at(9) ? { first: 1, last: 4 } : null,
    };
    const listed = async (to: string): Promise<string[]> =>
      (await withTrail(archive, ACCOUNT, [], to)).map((o) => o.id);
    expect(await listed(at(9))).toEqual([]);
    expect(await listed(at(10))).toEqual(['0198a1b2-0000-8000-8000-00000000000a']);
  });

  it('withholds contexts where that is asked for, and only then', async () => {
    const kinds = async (withhold: ExportRequest['withhold']): Promise<string[][]> => {
      const pkg = await issued(withhold);
      expect(verify(pkg).problems).toEqual([]);
      return pkg.events.map(({ opened }) => Object.keys(opened).sort());
    };
    const both = ['action', 'context'];
    expect(await kinds(['payload'])).toEqual([['action'], both, both, both, []]);
    expect(await kinds(['context'])).toEqual([['action'], ['action'], ['action'], ['action'], []]);
    expect(await kinds(['action'])).toEqual([[], ['context'], ['context'], ['context'], []]);
    expect(await kinds(['action', 'payload', 'context'])).toEqual([[], [], [], [], []]);
  });
});
