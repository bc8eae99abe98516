import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { AccountFacts, AgentFacts, ApiKeyFacts, Role } from '@countersign/contracts';
import { InProcessCounters } from '@countersign/counters';
import { openSqliteLog } from '@countersign/event-log';
import type { EventLog } from '@countersign/event-log';
import { createLogger, createRegistry, loadConfig, mintApiKey } from '@countersign/process';
import { PeerRegistry, serveThread, sessionTokens } from '@countersign/service-kit';
import { versionedRecord } from '@countersign/topics';
import type { AgentOperator, ServingThread } from '@countersign/service-kit';
import { ACCOUNT, check, events, FACTS, newest, OTHER_ACCOUNT, readTopic } from './policy.test-context.js';
import { definition } from './index.js';
import { openSqlitePolicyStore } from './store/open.js';

let dataDir: string;
let eventLog: EventLog;
let counters: InProcessCounters;
let serving: ServingThread;
let operator: AgentOperator;
let address = '';
const tokens: Record<string, string> = {};
const API_KEY = mintApiKey((bytes) => randomBytes(bytes));
const KEY_ID = randomUUID();

async function start(): Promise<void> {
  const peers = new PeerRegistry();
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
  operator = await peers.peer('agent-operator');
}

async function ready(): Promise<void> {
  while (serving.notReady().length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function stop(): Promise<void> {
  await serving.closeIntake(100);
  await serving.stop();
}

async function signIn(who: string, accountId: string, role: Role): Promise<void> {
  const sid = randomUUID();
  const expiresAt = new Date(Date.now() + 3_600_000);
  const facts = { accountId, userId: `user-${who}`, email: who, role, expiresAt: expiresAt.toISOString() };
  await eventLog.append([versionedRecord('sessions', sid, 1, { ...facts, revokedAt: null })]);
  const config = loadConfig({ COUNTERSIGN_DATA_DIR: dataDir });
  tokens[who] = await (await sessionTokens({ config, clock: () => Date.now() })).sign({ sid, accountId }, expiresAt);
}

interface Answer {
  readonly status: number;
  // A test reads what it has just asked for.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

async function ask(method: string, path: string, body?: unknown, who = 'member'): Promise<Answer> {
  const credentials = who === 'key' ? { 'x-service-key': API_KEY } : { authorization: `Bearer ${tokens[who] ?? ''}` };
  const response = await fetch(address + path, {
    method,
    headers: { 'content-type': 'application/json', ...credentials } as Record<string, string>,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const versions = { key: 0, account: 0 };

/** The key as it is from now on. */
async function putKey(facts: Partial<ApiKeyFacts>): Promise<void> {
  const sha256 = createHash('sha256').update(API_KEY).digest('hex');
  const kept = { accountId: ACCOUNT, name: 'k', prefix: API_KEY.slice(0, 16), sha256, createdAt: '', revokedAt: null };
  versions.key += 1;
  await eventLog.append([versionedRecord('api-keys', KEY_ID, versions.key, { ...kept, ...facts })]);
  await counters.raise('api-key', KEY_ID, versions.key);
}

async function putAccount(facts: Partial<AccountFacts>): Promise<void> {
  versions.account += 1;
  await eventLog.append([versionedRecord('accounts', ACCOUNT, versions.account, { ...FACTS, ...facts })]);
  await counters.raise('account', ACCOUNT, versions.account);
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'policy-http-'));
  eventLog = await openSqliteLog({ file: join(dataDir, 'log.db') });
  counters = new InProcessCounters();
  await counters.serve();
  await eventLog.append([versionedRecord('accounts', OTHER_ACCOUNT, 1, FACTS)]);
  await putAccount({});
  await putKey({});
  await signIn('member', ACCOUNT, 'member');
  await signIn('auditor', ACCOUNT, 'auditor');
  await signIn('stranger', OTHER_ACCOUNT, 'admin');
  await start();
  await ready();
});

afterAll(async () => {
  await stop();
  await eventLog.close();
  await rm(dataDir, { recursive: true });
});

describe('policy over HTTP', () => {
  let agent: { id: string };
  let path: string;
  beforeEach(async () => {
    agent = (await ask('POST', '/v1/agents', { name: 'Booking', agent_type: 'assistant' })).body as { id: string };
    path = `/v1/agents/${agent.id}`;
  });

  it('creates an agent with an empty profile', async () => {
    const { status, body } = await ask('POST', '/v1/agents', { name: 'Booking', type: 'assistant', purpose: null });
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual([
      ...['id', 'name', 'type', 'purpose', 'version', 'status', 'blockchain_ssn', 'wallet_address'],
      ...['chain_tx_signature', 'created_at', 'updated_at', 'behavior_profile'],
    ]);
    expect(body).toMatchObject({ type: 'assistant', purpose: null, status: 'active' });
    expect(body.behavior_profile).toMatchObject({ agent_id: body.id, version: 1, output_rules: null });
    expect(await counters.version('agent', body.id as string)).toBe(1);
  });

  it('refuses in order: 401, 400, 403, 404', async () => {
    expect((await ask('POST', '/v1/agents', '{', 'unknown')).status).toBe(401);
    expect((await ask('POST', '/v1/agents', '{', 'auditor')).status).toBe(400);
    expect((await ask('POST', '/v1/agents', {}, 'auditor')).status).toBe(400);
    expect((await ask('POST', '/v1/agents', { name: 'x' }, 'auditor')).status).toBe(403);
    const unknown = `/v1/agents/${randomUUID()}`;
    expect((await ask('PATCH', `${unknown}/profile`, { mode: 'off' })).status).toBe(400);
    expect((await ask('PATCH', `${unknown}/profile`, { agent_id: agent.id })).status).toBe(400);
    expect((await ask('PATCH', `${unknown}/profile`, {})).status).toBe(404);
    expect((await ask('POST', `${unknown}/apply-package`, { packageId: 'x' })).status).toBe(404);
    expect((await ask('GET', '/v1/agents/x')).status).toBe(400);
  });

  it('shows agents to their account alone, newest first', async () => {
    expect((await ask('GET', path.toUpperCase().replace('/V1/AGENTS', '/v1/agents'))).body).toMatchObject(agent);
    expect((await ask('GET', path, undefined, 'auditor')).status).toBe(200);
    for (const [method, below] of [
      ['GET', ''],
      ['GET', '/profile'],
      ['POST', '/freeze'],
      ['PATCH', '/profile'],
    ] as const) {
      const body = method === 'PATCH' ? {} : undefined;
      expect((await ask(method, path + below, body, 'stranger')).status).toBe(404);
    }
    const { body } = await ask('GET', '/v1/agents?limit=1');
    expect(body).toMatchObject({ agents: [agent], limit: 1, offset: 0 });
    expect(body.total).toBeGreaterThan(1);
    expect((await ask('GET', '/v1/agents', undefined, 'stranger')).body).toMatchObject({ agents: [], total: 0 });
  });

  it('lists agents by state and by a part of the name, and says what a query may not have', async () => {
    const named = async (query: string): Promise<readonly string[]> => {
      const { body } = await ask('GET', `/v1/agents?${query}`);
      const { agents, total } = body as { agents: readonly { name: string }[]; total: number };
      expect(agents).toHaveLength(total);
      return agents.map(({ name }) => name);
    };
    const ids: string[] = [];
    for (const name of ['Searched b', 'Searched A']) {
      ids.push(((await ask('POST', '/v1/agents', { name })).body as { id: string }).id);
    }
    expect(await named('q=SEARCHED')).toEqual(['Searched A', 'Searched b']);
    expect(await named('q=hed%20B&sort=created_at')).toEqual(['Searched b']);
    expect(await named(`q=${ids[0]!.slice(0, 13)}`)).toEqual(['Searched b']);
    await ask('POST', `/v1/agents/${ids[1]!}/freeze`, {});
    expect(await named('q=searched&sort=name')).toEqual(['Searched A', 'Searched b']);
    expect(await named('q=searched&status=frozen')).toEqual(['Searched A']);
    expect(await named('q=searched&status=inactive')).toEqual([]);
    expect((await ask('GET', '/v1/agents?q=searched', undefined, 'stranger')).body).toMatchObject({ total: 0 });
    for (const query of ['q=', 'status=gone', 'sort=updated_at', `q=${'x'.repeat(201)}`]) {
      expect((await ask('GET', `/v1/agents?${query}`)).status).toBe(400);
    }
  });

  it('registers an agent with an API key, in whose name the event is', async () => {
    // Agents of other cases may be frozen: the first key is not held up by them.
    await putKey({ first: true });
    const { status, body } = await ask('POST', '/v1/mcp/register', { name: 'By key', version: '2' }, 'key');
    expect([status, body.name, body.version]).toEqual([201, 'By key', '2']);
    // Every unbound key acts as an agent that the first key made.
    expect(body).not.toHaveProperty('registered_by_key');
    expect((await ask('POST', '/v1/mcp/register', { name: 'x' })).status).toBe(401);
    const published = (await events(eventLog)).find(({ leaf }) => leaf.agentId === body.id);
    expect(published).toMatchObject({ apiKeyId: KEY_ID, cadenceSeconds: 300 });
    expect(published?.openings.action?.value).toMatchObject({ by: { kind: 'api_key', id: KEY_ID } });
  });

  it('lets an agent made by a key begin with what the agents of the key are denied, or the default profile', async () => {
    const register = () => ask('POST', '/v1/mcp/register', { name: 'again' }, 'key');
    const limited = (await ask('POST', '/v1/agents', { name: 'limited' })).body as { id: string };
    await ask('PATCH', `/v1/agents/${limited.id}/profile`, { off_limits_actions: ['wire'], spending_limit: 5 });
    await putKey({ rights: ['register'], agentIds: [agent.id, limited.id] });
    const merged = await register();
    expect([merged.status, merged.body.behavior_profile]).toMatchObject([
      201,
      { version: 1, off_limits_actions: ['wire'], spending_limit: 5, agent_id: merged.body.id },
    ]);
    const types = (await events(eventLog))
      .filter(({ leaf }) => leaf.agentId === merged.body.id)
      .map(({ leaf }) => [leaf.type, leaf.profileVersion]);
    expect(types).toEqual([
      ['agent.created', null],
      ['profile.changed', 1],
    ]);
    // No key but the first and one that names it acts as the agent.
    expect(merged.body.registered_by_key).toBe(KEY_ID);
    const record = await ask('PATCH', `/v1/agents/${merged.body.id}/profile`, { mode: 'observe' });
    expect(record.body).toMatchObject({ version: 2, off_limits_actions: ['wire'] });
    expect((await newest<AgentFacts>(eventLog, 'agents')).get(merged.body.id)?.value).toMatchObject({
      registeredByKey: KEY_ID,
    });
    expect((await ask('POST', '/v1/agents', { name: 'by a person' })).body.behavior_profile).toMatchObject({
      version: 1,
      off_limits_actions: [],
    });
    await ask('POST', `/v1/agents/${limited.id}/freeze`);
    const refused = await register();
    expect([refused.status, refused.body.error]).toEqual([
      403,
      expect.stringContaining(`${limited.id} of this API key is frozen`),
    ]);
    await ask('POST', `/v1/agents/${limited.id}/unfreeze`);
    // A gateway freezes before the record says so.
    await counters.freeze(limited.id, Date.now() + 60_000);
    expect((await register()).status).toBe(403);
    await ask('POST', `/v1/agents/${limited.id}/deactivate`);
    expect((await register()).body.behavior_profile).toMatchObject({ version: 1, off_limits_actions: ['wire'] });
    await putKey({ rights: ['register'], agentIds: [randomUUID()] });
    expect((await register()).status).toBe(409);
    await putAccount({ defaultProfile: { allowed_actions: ['read'] } });
    expect((await register()).body.behavior_profile).toMatchObject({ version: 1, allowed_actions: ['read'] });
    await putAccount({});
    await putKey({ rights: ['check', 'outcome', 'scan', 'read', 'policy'] });
    expect(await register()).toMatchObject({ status: 401, body: { error: expect.stringContaining('"register"') } });
  });

  it('lets a key read and replace the profile of its agents by its rights alone', async () => {
    const own = `/v1/mcp/agents/${agent.id}`;
    await putKey({ rights: ['policy'], agentIds: [agent.id] });
    expect((await ask('GET', `${own}/profile`, undefined, 'key')).body).toMatchObject({
      version: 1,
      agent_id: agent.id,
    });
    const put = (body: object) => ask('PUT', `${own}/profile`, body, 'key');
    expect((await put({ spending_limit: 3, version: 1 })).body).toMatchObject({ version: 2, spending_limit: 3 });
    expect((await put({ off_limits_actions: ['wire'] })).body).toMatchObject({
      version: 3,
      spending_limit: null,
      off_limits_actions: ['wire'],
    });
    expect((await put({ off_limits_actions: ['wire'] })).body.version).toBe(3);
    expect((await put({ off_limits_actions: ['wire'], require: ['cost'] })).body).toMatchObject({ require: ['cost'] });
    expect((await put({ off_limits_actions: ['wire'] })).body).not.toHaveProperty('require');
    expect((await put({ mode: 'observe', version: 1 })).status).toBe(409);
    expect(await put({ refund_limit: 3 })).toMatchObject({ status: 400 });
    const published = (await events(eventLog)).filter(({ leaf }) => leaf.agentId === agent.id).at(-1);
    expect(published?.openings.action?.value).toMatchObject({ by: { kind: 'api_key', id: KEY_ID } });
    expect((await ask('GET', own, undefined, 'key')).status).toBe(401);
    expect((await ask('PATCH', `${path}/profile`, { spending_limit: 1 }, 'key')).status).toBe(401);
    const other = (await ask('POST', '/v1/agents', { name: 'other' })).body as { id: string };
    expect((await ask('PUT', `/v1/mcp/agents/${other.id}/profile`, {}, 'key')).status).toBe(404);
    await putKey({ rights: ['read'] });
    expect((await ask('GET', own, undefined, 'key')).body).toMatchObject({ id: agent.id });
    expect(await put({})).toMatchObject({ status: 401, body: { error: expect.stringContaining('"policy"') } });
  });

  it('warns of what a changed profile has without effect, by any caller; the profile itself has no warnings', async () => {
    const own = (await ask('POST', '/v1/agents', { name: 'vain' })).body as { id: string };
    const profile = `/v1/agents/${own.id}/profile`;
    const vain = { allowed_apis: ['/srv/data'] };
    const warnings = [expect.stringMatching(/^allowed_apis\[0\] "\/srv\/data" is a path/)];
    expect((await ask('PATCH', profile, vain)).body).toMatchObject({ version: 2, warnings });
    expect((await ask('GET', profile)).body).not.toHaveProperty('warnings');
    await putKey({ rights: ['policy'] });
    const put = (body: object) => ask('PUT', `/v1/mcp${profile.slice(3)}`, body, 'key');
    expect((await put(vain)).body).toMatchObject({ version: 2, warnings });
    expect((await put({ allowed_apis: ['a.example'] })).body).not.toHaveProperty('warnings');
  });

  it('updates an agent; null unsets, an unknown field changes nothing', async () => {
    expect((await ask('PATCH', path, { purpose: 'flights', type: null })).body).toMatchObject({
      name: 'Booking',
      purpose: 'flights',
      type: null,
    });
    expect((await ask('PATCH', path, { purpose: 'x', status: 'frozen' })).status).toBe(400);
    expect((await ask('PATCH', path, { name: null })).status).toBe(400);
    expect((await ask('GET', path)).body).toMatchObject({ purpose: 'flights', status: 'active' });
  });

  it('changes a profile by PATCH, whole or not at all', async () => {
    const first = await ask('PATCH', `${path}/profile`, { blocked_apis: ['a.example'], spending_limit: 12.5 });
    expect([first.status, first.body.version]).toEqual([200, 2]);
    const back = await ask('PATCH', `${path}/profile`, first.body);
    expect([back.status, back.body.version]).toEqual([200, 2]);
    expect((await ask('PATCH', `${path}/profile`, { version: 1, mode: 'observe' })).status).toBe(409);
    for (const wrong of [{ more: 1 }, { spending_limit: -1 }, { mode: null }, { blocked_apis: ['a'.repeat(513)] }]) {
      expect((await ask('PATCH', `${path}/profile`, { mode: 'observe', ...wrong })).status).toBe(400);
    }
    const unset = await ask('PATCH', `${path}/profile`, { spending_limit: null, version: 2 });
    expect(unset.body).toMatchObject({ version: 3, spending_limit: null, mode: 'enforce' });
    expect((await ask('GET', `${path}/profile`)).body).toEqual(unset.body);
    const record = (await newest<AgentFacts>(eventLog, 'agents')).get(agent.id);
    expect(record?.value?.profile).toEqual(unset.body);
    expect(await counters.version('agent', agent.id)).toBe(record?.version);
  });

  it('explains what a check would get under a draft, and judges the draft as a PATCH', async () => {
    const explain = (profile?: object, about = path, who = 'auditor') =>
      ask(
        'POST',
        `${about}/explain`,
        { agentId: agent.id, action: { type: 'wire' }, ...(profile && { profile }) },
        who,
      );
    expect((await explain()).body).toMatchObject({ answer: { allowed: true }, profileVersion: 1 });
    const { status, body } = await explain({ off_limits_actions: ['wire'] });
    expect([status, body.answer, body.profileVersion]).toEqual([
      200,
      expect.objectContaining({ allowed: false, violation_type: 'off_limits_action', rule: 'off_limits_actions:wire' }),
      1,
    ]);
    expect((await ask('GET', `${path}/profile`)).body).toMatchObject({ version: 1, off_limits_actions: [] });
    for (const wrong of [{ more: 1 }, { spending_limit: -1 }, [], { agent_id: randomUUID() }]) {
      expect((await explain(wrong)).status).toBe(400);
    }
    expect((await explain({ version: 7 })).status).toBe(409);
    expect((await explain({}, path, 'stranger')).status).toBe(404);
    expect((await explain({}, path, 'unknown')).status).toBe(401);
    await ask('POST', `${path}/deactivate`);
    expect((await explain({ mode: 'observe' })).status).toBe(409);
  });

  it('shows what a draft would leave, with its findings, and runs cases under it', async () => {
    const preview = (body: object, about = path, who = 'auditor') =>
      ask('POST', `${about}/profile/preview`, { profile: {}, ...body }, who);
    const none = await preview({});
    expect([none.status, none.body.findings, none.body.cases]).toEqual([200, [], null]);
    const { profile, findings } = (
      await preview({ profile: { allowed_apis: ['api.example.com'] }, rules: { blocked_apis: ['*.example.com'] } })
    ).body;
    expect(profile).toMatchObject({ version: 2, allowed_apis: ['api.example.com'], blocked_apis: ['*.example.com'] });
    expect(findings).toEqual([
      { path: ['allowed_apis', 0], kind: 'no_effect', text: expect.stringMatching(/covered by/) },
    ]);
    for (const [refused, at] of [
      [{ refund_limit: 1 }, ['refund_limit']],
      [{ blocked_apis: ['ok.example', 'a*b'] }, ['blocked_apis', 1]],
      [{ rules: [{ id: 'r', effect: 'deny', when: 'args.amount > 5' }] }, ['rules', 0]],
      [
        {
          rules: [
            { id: 'r', effect: 'deny' },
            { id: 'r', effect: 'deny' },
          ],
        },
        ['rules', 1],
      ],
      [[], []],
      // The reason is in front of a hundred warnings.
      [
        {
          allowed_apis: Array.from({ length: 120 }, (_, n) => `a${n}.example.com`),
          blocked_apis: ['*.example.com'],
          rules: [{ id: 'r', effect: 'deny', when: 'args.amount > 5' }],
        },
        ['rules', 0],
      ],
      // Too large.
      [{ allowed_apis: Array.from({ length: 900 }, (_, n) => `${n}.${'long-'.repeat(40)}host.example`) }, []],
    ] as const) {
      const { status, body } = await preview({ profile: refused });
      expect([status, body.profile, body.findings[0]]).toEqual([
        200,
        null,
        { path: at, kind: 'refused', text: expect.any(String) },
      ]);
    }
    const wire = { title: 'wires', action: { type: 'wire' }, expect: 'denied' };
    const tested = await preview({ profile: { off_limits_actions: ['wire'] }, cases: [wire] });
    expect(tested.body.cases).toEqual({ total: 1, failures: [] });
    expect((await preview({ cases: [wire] })).body.cases).toEqual({
      total: 1,
      failures: [{ title: 'wires', text: 'wires: expected denied, came allowed' }],
    });
    const long = () => preview({ cases: [{ ...wire, expect: 'allowed', times: 10_000 }] });
    expect((await Promise.all([long(), long()])).map(({ status }) => status).sort()).toEqual([200, 503]);
    expect((await long()).status).toBe(200);
    for (const wrong of [
      { cases: [{ ...wire, times: 10_001 }] },
      { cases: [{ ...wire, times: 2000, action: { type: 'wire', payload: 'x'.repeat(10_000) } }] },
      { cases: [{ title: 'x' }] },
      { rules: { more: 1 } },
      { more: 1 },
    ]) {
      expect((await preview(wrong)).status).toBe(400);
    }
    expect((await ask('GET', `${path}/profile`)).body.version).toBe(1);
    expect((await preview({}, path, 'stranger')).status).toBe(404);
    expect((await preview({}, path, 'unknown')).status).toBe(401);
  });

  it('takes a time or a number of checks for a dry run, and is 503 without the archive', async () => {
    const dryRun = (body: object) => ask('POST', `${path}/profile/dry-run`, { profile: {}, ...body }, 'auditor');
    const time = { from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z' };
    for (const wrong of [{}, { from: time.from }, { ...time, latest: 5 }, { latest: 0 }, { latest: 2001 }]) {
      expect([wrong, (await dryRun(wrong)).status]).toEqual([wrong, 400]);
    }
    for (const right of [time, { latest: 5 }]) expect((await dryRun(right)).status).toBe(503);
  });

  it('lists safety packages and merges one into a profile', async () => {
    const { packages } = (await ask('GET', '/v1/safety-packages', undefined, 'auditor')).body as {
      packages: { id: string; rules: { blocked_apis?: string[] } }[];
    };
    expect(packages.length).toBeGreaterThanOrEqual(2);
    const chosen = packages.find(({ rules }) => rules.blocked_apis !== undefined)!;
    const applied = await ask('POST', `${path}/apply-package`, { packageId: chosen.id });
    expect(applied.body).toMatchObject({ version: 2, blocked_apis: chosen.rules.blocked_apis });
    expect((await ask('POST', `${path}/apply-package`, { packageId: chosen.id })).body.version).toBe(2);
    expect((await ask('POST', `${path}/apply-package`, { packageId: 'nothing' })).status).toBe(404);
  });

  it('freezes, unfreezes and ends an agent', async () => {
    expect((await ask('POST', `${path}/freeze`, { reason: 'odd' })).body.status).toBe('frozen');
    expect(await counters.isFrozen(agent.id)).toBe(true);
    expect((await ask('POST', `${path}/unfreeze`)).body.status).toBe('active');
    expect(await counters.isFrozen(agent.id)).toBe(false);
    expect((await ask('POST', `${path}/freeze`, { reason: 5 })).status).toBe(400);
    expect((await ask('POST', `${path}/deactivate`, {})).body.status).toBe('inactive');
    expect((await ask('POST', `${path}/deactivate`, {})).status).toBe(200);
    expect((await ask('PATCH', path, { name: 'x' })).status).toBe(409);
    expect((await ask('POST', `${path}/unfreeze`)).status).toBe(409);
  });

  it('lets members register by a wallet; while the chain cannot be asked it says so and stores nothing', async () => {
    const register = `${path}/register-blockchain-self-custody`;
    const body = { walletAddress: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', transactionSignature: '1'.repeat(64) };
    for (const [who, status] of [
      ['auditor', 403],
      ['key', 401],
      ['stranger', 404],
      ['member', 503],
    ] as const) {
      expect([who, (await ask('POST', register, body, who)).status]).toEqual([who, status]);
    }
    for (const wrong of [{}, { ...body, walletAddress: 'x' }, { ...body, transactionSignature: 'x' }]) {
      const { status, body: refusal } = await ask('POST', register, wrong);
      expect([status, refusal.error]).toEqual([400, expect.stringMatching(/walletAddress|transactionSignature/)]);
    }
    const draft = await ask('GET', `${path}/registration-tx`);
    expect(draft.body).toMatchObject({ transaction: null, recentBlockhash: null, lastValidBlockHeight: null });
    expect(draft.body.memo).toMatch(/^countersign\/1 register=[0-9a-f]{64}$/);
    expect((await ask('GET', `${path}/registration-tx`, undefined, 'auditor')).status).toBe(403);
    for (const [wallet, status] of [
      [body.walletAddress, 503],
      ['x', 400],
      ['', 400],
    ] as const) {
      expect((await ask('GET', `${path}/registration-tx?walletAddress=${wallet}`)).status).toBe(status);
    }
    expect((await ask('GET', path)).body).toMatchObject({ blockchain_ssn: null, wallet_address: null });
  });

  it('creates the first agent once', async () => {
    const first = { agentId: randomUUID(), accountId: ACCOUNT, name: 'First agent' };
    await operator.createFirst(first);
    await operator.createFirst({ ...first, name: 'Again' });
    expect((await ask('GET', `/v1/agents/${first.agentId}`)).body.name).toBe('First agent');
  });

  it('follows a denial that froze, and publishes usage at the stop', async () => {
    const denial = check({
      eventId: '019c0000-0000-7000-8000-00000000000a',
      occurredAtMs: await counters.now(),
      agentId: agent.id,
      denied: true,
      freezesAgent: true,
    });
    await eventLog.append([{ topic: 'agent-events', key: agent.id, value: JSON.stringify(denial) }]);
    while ((await ask('GET', path)).body.status !== 'frozen') await new Promise((resolve) => setTimeout(resolve, 10));
    await stop();
    const usage = await readTopic<{ id: string }>(eventLog, 'usage');
    expect(usage.map(({ id }) => id)).toContain(`account:${ACCOUNT}`);
    expect(usage.at(-1)?.id).toBe('position');
    await start();
    await ready();
    expect((await ask('GET', path)).body.status).toBe('frozen');
  });

  it('is not ready on a damaged store, and names no file to callers', async () => {
    await stop();
    const raw = new Database(join(dataDir, 'policy', 'policy.sqlite'));
    const whole = raw.prepare('SELECT body FROM doc_agents WHERE id = ?').pluck().get(agent.id);
    raw.prepare('UPDATE doc_agents SET body = ? WHERE id = ?').run('{}', agent.id);
    await start();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(serving.notReady().join()).toContain('policy: the store cannot be compared');
    expect(serving.notReady().join()).not.toContain(dataDir);
    expect(await ask('GET', path)).toEqual({ status: 500, body: { error: 'internal error' } });
    await stop();
    raw.prepare('UPDATE doc_agents SET body = ? WHERE id = ?').run(whole, agent.id);
    raw.close();
    await start();
    await ready();
  });

  it('publishes agents again that the topic lost, and is not ready when the topic is ahead', async () => {
    await stop();
    const other = randomUUID();
    await eventLog.append([versionedRecord('agents', other, 1, { name: 'unknown' })]);
    await start();
    while (!serving.notReady().join().includes(other)) await new Promise((resolve) => setTimeout(resolve, 10));
    await stop();
    await eventLog.append([versionedRecord('agents', other, 2, null)]);
    const store = await openSqlitePolicyStore(join(dataDir, 'policy', 'policy.sqlite'));
    const unpublished = { ...(await store.find(agent.id))!, id: randomUUID(), revision: 3 };
    await store.create({ agent: unpublished, records: [] });
    await store.close();
    await start();
    await ready();
    expect((await newest<AgentFacts>(eventLog, 'agents')).get(unpublished.id)).toMatchObject({ version: 3 });
    expect(await counters.version('agent', unpublished.id)).toBe(3);
  });
});
