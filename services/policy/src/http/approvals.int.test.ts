import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiKeyFacts, ApprovalRequested, EventArchive, EventEnvelope, Role } from '@countersign/contracts';
import { InProcessCounters } from '@countersign/counters';
import { openSqliteLog } from '@countersign/event-log';
import type { EventLog } from '@countersign/event-log';
import { createLogger, createRegistry, loadConfig, mintApiKey } from '@countersign/process';
import { PeerRegistry, serveThread, sessionTokens } from '@countersign/service-kit';
import type { ServingThread } from '@countersign/service-kit';
import { versionedRecord } from '@countersign/topics';
import { ACCOUNT, check, FACTS, OTHER_ACCOUNT } from '../policy.test-context.js';
import { asked } from '../domain/approvals.test-context.js';
import { definition } from '../index.js';

const KEYS = { agent: mintApiKey(randomBytes), bound: mintApiKey(randomBytes), foreign: mintApiKey(randomBytes) };
const OTHER_AGENT = randomUUID();
const tokens: Record<string, string> = {};
const actions = new Map<string, { readonly salt: string; readonly value?: { readonly type: string } }>();
let archiveFails = false;

let dataDir: string;
let eventLog: EventLog;
let serving: ServingThread;
let agentId = '';
let address = '';

/** The archive as audit-log provides it: the actions of the checks that this test has appended. */
const archive = {
  withProfile: async (accountId: string, eventId: string) => {
    if (archiveFails) throw new Error('unreachable');
    const action = actions.get(`${accountId} ${eventId}`);
    if (action === undefined) return null;
    const rule = { id: 'night', effect: 'approve' };
    return { event: { envelope: { openings: { action } } }, profile: { rules: [rule] } };
  },
} as unknown as EventArchive;

async function signIn(who: string, accountId: string, role: Role): Promise<void> {
  const sid = randomUUID();
  const expiresAt = new Date(Date.now() + 3_600_000);
  const facts = {
    accountId,
    userId: `u-${who}`,
    email: `${who}@example.com`,
    role,
    expiresAt: expiresAt.toISOString(),
  };
  await eventLog.append([versionedRecord('sessions', sid, 1, { ...facts, revokedAt: null })]);
  const config = loadConfig({ COUNTERSIGN_DATA_DIR: dataDir });
  tokens[who] = await (await sessionTokens({ config, clock: () => Date.now() })).sign({ sid, accountId }, expiresAt);
}

async function putKey(name: keyof typeof KEYS, facts: Partial<ApiKeyFacts>): Promise<void> {
  const sha256 = createHash('sha256').update(KEYS[name]).digest('hex');
  const kept = { accountId: ACCOUNT, name, prefix: KEYS[name].slice(0, 16), sha256, createdAt: '', revokedAt: null };
  await eventLog.append([
    versionedRecord('api-keys', name, 1, { ...kept, first: true, createdBy: 'u-alice', ...facts }),
  ]);
}

interface Answer {
  readonly status: number;
  // A test reads what it has just asked for.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

async function ask(method: string, path: string, who: string, body?: unknown): Promise<Answer> {
  const key = KEYS[who as keyof typeof KEYS];
  const credentials = key === undefined ? { authorization: `Bearer ${tokens[who] ?? ''}` } : { 'x-service-key': key };
  const response = await fetch(address + path, {
    method,
    headers: { 'content-type': 'application/json', ...credentials } as Record<string, string>,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

let checks = 0;

/** A check of the agent asks for an approval; its id, once it is stored. */
async function approval(over: Partial<ApprovalRequested> = {}): Promise<string> {
  checks += 1;
  const id = `apr_${randomUUID()}`;
  const eventId = `01a20038-91aa-71c6-928d-${String(checks).padStart(12, '0')}`;
  const requester = { apiKeyId: 'agent' };
  const expiresAt = new Date(Date.now() + 600_000).toISOString();
  const envelope: EventEnvelope = {
    ...check({ eventId, occurredAtMs: Date.now(), agentId, denied: true }),
    approvals: [asked({ id, requester, expiresAt, ...over })],
  };
  actions.set(`${ACCOUNT} ${eventId}`, { salt: 's', value: { type: 'tool_use' } });
  await eventLog.append([{ topic: 'agent-events', key: agentId, value: JSON.stringify(envelope) }]);
  for (;;) {
    const { status } = await ask('GET', `/v1/approvals/${id}?wait=5`, 'auditor').then((answer) =>
      answer.status === 200 ? answer : ask('GET', `/v1/approvals/${id}`, 'auditor'),
    );
    if (status === 200) return id;
  }
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'approvals-http-'));
  eventLog = await openSqliteLog({ file: join(dataDir, 'log.db') });
  const counters = new InProcessCounters();
  await counters.serve();
  for (const id of [ACCOUNT, OTHER_ACCOUNT]) await eventLog.append([versionedRecord('accounts', id, 1, FACTS)]);
  await putKey('agent', {});
  await putKey('bound', { agentIds: [OTHER_AGENT], first: undefined, rights: ['check'] } as never);
  await putKey('foreign', { accountId: OTHER_ACCOUNT });
  await signIn('alice', ACCOUNT, 'admin');
  await signIn('bob', ACCOUNT, 'admin');
  await signIn('carol', ACCOUNT, 'member');
  await signIn('auditor', ACCOUNT, 'auditor');
  await signIn('stranger', OTHER_ACCOUNT, 'admin');
  const peers = new PeerRegistry();
  peers.provide('event-archive', archive);
  const thread = {
    config: loadConfig({ COUNTERSIGN_DATA_DIR: dataDir }),
    log: createLogger('silent'),
    eventLog,
    counters,
    metrics: createRegistry('test', false),
    peers,
    clock: () => Date.now(),
    chain: () => Promise.reject(new Error('no chain in this test')),
    publicUrl: () => address,
  };
  serving = await serveThread([definition], thread, { on: { host: '127.0.0.1', port: 0 } }, (at) => {
    address = at;
  });
  while (serving.notReady().length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  agentId = (await ask('POST', '/v1/agents', 'alice', { name: 'Booking' })).body.id as string;
});

afterAll(async () => {
  await serving.closeIntake(100);
  await serving.stop();
  await eventLog.close();
  await rm(dataDir, { recursive: true });
});

describe('approvals over HTTP', () => {
  const decide = (id: string, who: string, body: object = { decision: 'approve' }): Promise<Answer> =>
    ask('POST', `/v1/approvals/${id}/decide`, who, body);

  it('shows the action to people who could decide and to auditors, the state to others and to the agent', async () => {
    const id = await approval({ approvers: { roles: ['admin'] } });
    const whole = (await ask('GET', `/v1/approvals/${id}`, 'bob')).body;
    expect(whole).toMatchObject({
      id,
      state: 'pending',
      rule: 'night',
      agent_id: agentId,
      may_decide: true,
      why_not: null,
      action: { type: 'tool_use' },
      action_missing: null,
      rule_member: { id: 'night', effect: 'approve' },
      requester: { api_key_id: 'agent', principal: null },
      decisions: [],
    });
    expect(whole.shown_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect((await ask('GET', `/v1/approvals/${id}`, 'auditor')).body).toMatchObject({
      action: { type: 'tool_use' },
      may_decide: false,
    });
    const member = (await ask('GET', `/v1/approvals/${id}`, 'carol')).body;
    expect(member).toMatchObject({ id, state: 'pending', may_decide: false });
    expect(member).not.toHaveProperty('action');
    const own = (await ask('GET', `/v1/approvals/${id}`, 'agent')).body;
    expect(Object.keys(own).sort()).toEqual(['agent_id', 'expires_at', 'id', 'rule', 'state']);
  });

  it('hides it from another account, from a key of other agents, and from a request without credentials', async () => {
    const id = await approval();
    for (const who of ['stranger', 'foreign', 'bound']) {
      expect((await ask('GET', `/v1/approvals/${id}`, who)).status).toBe(404);
    }
    expect((await decide(id, 'stranger')).status).toBe(404);
    expect((await ask('GET', '/v1/approvals', 'stranger')).body.approvals).toEqual([]);
    expect((await fetch(`${address}/v1/approvals/${id}`)).status).toBe(401);
  });

  it('takes the decision of a session alone', async () => {
    const id = await approval();
    for (const who of ['agent', 'unknown']) expect((await decide(id, who)).status).toBe(401);
    const asBearer = { authorization: `Bearer ${KEYS.agent}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ decision: 'approve' });
    const sent = await fetch(`${address}/v1/approvals/${id}/decide`, { method: 'POST', headers: asBearer, body });
    expect(sent.status).toBe(401);
    expect((await decide(id, 'bob', { decision: 'maybe' })).status).toBe(400);
    expect((await decide(id, 'auditor')).status).toBe(403);
    expect((await ask('GET', `/v1/approvals/${id}`, 'bob')).body.state).toBe('pending');
  });

  it('answers a decision with the record, and ends the wait of the agent at once', async () => {
    const id = await approval({ approvers: { not_requester: true } });
    expect((await decide(id, 'alice')).status).toBe(403);
    const shown = (await ask('GET', `/v1/approvals/${id}`, 'bob')).body.shown_sha256 as string;
    const begun = performance.now();
    const waiting = ask('GET', `/v1/approvals/${id}?wait=30`, 'agent');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await decide(id, 'bob', { decision: 'deny', shown_sha256: 'f'.repeat(64) })).status).toBe(409);
    const answer = await decide(id, 'bob', { decision: 'deny', comment: 'no', shown_sha256: shown });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        state: 'denied',
        may_decide: false,
        decisions: [{ user_id: 'u-bob', role: 'admin', comment: 'no', shown_sha256: shown, decision: 'deny' }],
      },
    });
    expect((await waiting).body).toMatchObject({ id, state: 'denied' });
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect((await decide(id, 'bob')).status).toBe(403);
    expect((await decide(id, 'carol')).status).toBe(409);
  });

  it('says why it has no action: erased, or an archive that cannot be asked', async () => {
    const id = await approval();
    const { event_id: eventId } = (await ask('GET', `/v1/approvals/${id}`, 'bob')).body as { event_id: string };
    archiveFails = true;
    const unreachable = await ask('GET', `/v1/approvals/${id}`, 'bob');
    archiveFails = false;
    expect(unreachable.body).toMatchObject({
      action: null,
      action_missing: expect.stringContaining('archive') as string,
    });
    actions.set(`${ACCOUNT} ${eventId}`, { salt: 's' });
    const erased = await ask('GET', `/v1/approvals/${id}`, 'bob');
    expect(erased.body).toMatchObject({ action: null, action_missing: expect.stringContaining('erased') as string });
  });

  it('lists in pages, by state and agent', async () => {
    const ids = [await approval(), await approval(), await approval()];
    await decide(ids[1]!, 'bob');
    const first = (await ask('GET', `/v1/approvals?status=pending&agentId=${agentId.toUpperCase()}&limit=1`, 'carol'))
      .body;
    expect(first.approvals).toMatchObject([{ id: ids[2], may_decide: true }]);
    const cursor = first.next_cursor as string;
    const second = (await ask('GET', `/v1/approvals?status=pending&limit=1&cursor=${cursor}`, 'carol')).body;
    expect(second.approvals).toMatchObject([{ id: ids[0] }]);
    expect((await ask('GET', '/v1/approvals?status=approved', 'bob')).body).toMatchObject({
      approvals: [{ id: ids[1], may_decide: false }],
      next_cursor: null,
    });
    for (const query of ['cursor=x', 'status=open', 'limit=0', 'limit=101', 'agentId=x']) {
      expect((await ask('GET', `/v1/approvals?${query}`, 'bob')).status).toBe(400);
    }
    expect((await ask('GET', '/v1/approvals/apr_x', 'bob')).status).toBe(400);
    expect((await ask('GET', `/v1/approvals/apr_${randomUUID()}`, 'bob')).status).toBe(404);
  });
});
