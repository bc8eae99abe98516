import { createHash, randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { ApiKeyFacts } from '@countersign/contracts';
import { canonicalLeaf, readEnvelope } from '@countersign/evidence';
import { mintApiKey } from '@countersign/process';
import { TimeSlicer } from './check/time-slicer.js';
import { GatewayBench, send } from './gateway.test-setup.js';

const call = (url: string): Record<string, unknown> => ({ type: 'http_call', url });
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('POST /v1/check', () => {
  const bench = new GatewayBench();
  const lines: object[] = [];
  beforeAll(() => bench.open({ lines: (entry, words) => lines.push({ ...entry, words }) }));
  afterAll(() => bench.close());

  it('allows with exactly {"allowed":true}, after the event is in the log', async () => {
    await bench.putAgent(bench.agentId, { allowed_apis: ['api.example.com'] });
    const answer = await bench.check(
      { ...call('https://api.example.com/x'), payload: { q: 1 } },
      {},
      bench.agentId.toUpperCase(),
    );
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('{"allowed":true}');
    expect(answer.headers['x-event-id']).toMatch(UUID_V7);
    expect(answer.headers['x-policy-coverage']).toBe('governed');
    const envelope = (await bench.events()).at(-1)!;
    expect(readEnvelope(envelope).ok).toBe(true);
    expect(envelope.leaf).toMatchObject({
      eventId: answer.headers['x-event-id'],
      agentId: bench.agentId,
      outcome: 'allowed',
      allowed: true,
      actionKind: 'http_call',
    });
    expect(envelope).toMatchObject({ accountId: bench.accountId, apiKeyId: bench.keyId, countsAction: true });
    expect(envelope.openings.action?.value).toEqual(call('https://api.example.com/x'));
    expect(envelope.openings.payload).toEqual({ salt: expect.any(String) });
  });

  it('denies with 200 and the rule, without quoting the action', async () => {
    await bench.putAgent(bench.agentId, { blocked_apis: ['*.evil.example'], store_payload: true });
    const answer = await bench.check({ ...call('https://secret-host.evil.example/'), payload: 'kept' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      allowed: false,
      reason: expect.any(String),
      severity: 'P2',
      violation_type: 'api_not_allowed',
      rule: 'blocked_apis:*.evil.example',
      detail: 'blocked_apis has 1 entry',
    });
    const envelope = (await bench.events()).at(-1)!;
    expect(canonicalLeaf(envelope.leaf)).not.toContain('secret-host');
    expect(envelope.openings.payload?.value).toBe('kept');
  });

  it('lets pass in observe mode, and records the violation', async () => {
    await bench.putAgent(bench.agentId, { blocked_apis: ['evil.example'], mode: 'observe', freeze_on_violation: true });
    const answer = await bench.check(call('https://evil.example/'));
    expect(answer.text).toBe('{"allowed":true}');
    expect(answer.headers['x-would-deny']).toBe('api_not_allowed; rule=blocked_apis:evil.example');
    expect((await bench.events()).at(-1)!.leaf).toMatchObject({
      allowed: true,
      violation_type: 'api_not_allowed',
      severity: 'P2',
    });
    expect((await bench.check(call('https://fine.example/'))).headers['x-would-deny']).toBeUndefined();
    expect(await bench.gateway.counters.isFrozen(bench.agentId)).toBe(false);
  });

  it('counts money exactly, and a denied check not at all', async () => {
    await bench.putAgent(bench.agentId, { spending_limit: 0.3 });
    const spend = (estimatedCost: number): Promise<{ body: unknown }> => bench.check({ type: 'other', estimatedCost });
    expect((await spend(0.1)).body).toEqual({ allowed: true });
    expect((await spend(0.200001)).body).toMatchObject({ allowed: false, violation_type: 'spending_limit_exceeded' });
    expect((await spend(0.2)).body).toEqual({ allowed: true });
    expect((await spend(0.0000001)).body).toMatchObject({ allowed: false });
  });

  it('freezes after a denial, before the answer', async () => {
    const agentId = randomUUID();
    await bench.putAgent(agentId, { off_limits_actions: ['wire'], freeze_on_violation: true });
    expect((await bench.check({ type: 'wire' }, {}, agentId)).body).toMatchObject({ allowed: false, severity: 'P1' });
    const next = await bench.check({ type: 'other' }, {}, agentId);
    expect(next.status).toBe(403);
    expect(next.body).toEqual({ allowed: false, reason: expect.any(String), severity: 'P1', code: 'agent_frozen' });
    expect(next.headers['x-event-id']).toMatch(UUID_V7);
    expect((await bench.events()).at(-1)!.leaf).toMatchObject({ outcome: 'frozen', allowed: false, severity: 'P1' });
  });

  it('refuses by plan', async () => {
    const past = new Date(Date.now() - 1000).toISOString();
    await bench.putAccount({ plan: 'sandbox', sandboxExpiresAt: past });
    expect(await bench.check({ type: 'a' })).toMatchObject({
      status: 402,
      body: { code: 'sandbox_expired', severity: 'P3', upgrade_url: 'https://example.com/plans' },
    });
    await bench.putAccount({ plan: 'sandbox', actionCap: 1 });
    expect(await bench.check({ type: 'a' })).toMatchObject({ status: 402, body: { code: 'sandbox_action_cap' } });
    await bench.putAccount({ plan: 'core', actionCap: 1 });
    const capped = await bench.check({ type: 'a' });
    expect(capped).toMatchObject({ status: 429, body: { code: 'plan_action_cap', allowed: false } });
    expect(Number(capped.headers['retry-after'])).toBeGreaterThan(0);
    expect((await bench.events()).at(-1)!.leaf.outcome).toBe('action_cap');
    await bench.putAccount({});
  });

  it('refuses in order: credentials, body, agent', async () => {
    const bad = { headers: { 'x-service-key': 'nope' }, body: '{' };
    expect(await bench.send(bad)).toMatchObject({ status: 401, body: { error: expect.any(String) } });
    expect(await bench.send({ body: '{' })).toMatchObject({ status: 400 });
    expect(await bench.check({ type: 'a' }, {}, randomUUID())).toMatchObject({
      status: 404,
      body: { error: expect.any(String) },
    });
    expect(await bench.send({ headers: { 'content-type': 'text/plain' }, body: '{}' })).toMatchObject({ status: 415 });
    expect(await bench.send({ headers: { 'content-encoding': 'gzip' }, body: '{}' })).toMatchObject({ status: 415 });
    expect(await bench.send({ body: 'x'.repeat(2 * 1024 * 1024) })).toMatchObject({ status: 413 });
    expect(
      await bench.send({ headers: { 'transfer-encoding': 'chunked' }, body: 'x'.repeat(1024 * 1024 + 1) }),
    ).toMatchObject({ status: 413 });
    const get = await bench.send({ method: 'GET' });
    expect(get.status).toBe(405);
    expect(get.headers.allow).toBe('POST');
  });

  it('reports the problem of a key, and allows what it was issued for', async () => {
    const { agentId } = bench;
    const keyed = async (facts: Partial<ApiKeyFacts>, agent = agentId): Promise<[number, string]> => {
      const key = mintApiKey((bytes) => randomBytes(bytes));
      await bench.putKey(randomUUID(), key, facts);
      await bench.gateway.counters.raise('api-key', createHash('sha256').update(key).digest('hex'), 1);
      const { status, text } = await bench.check({ type: 'a' }, { headers: { 'x-service-key': key } }, agent);
      return [status, text];
    };
    const other = randomUUID();
    await bench.putAgent(other, {});
    const past = new Date(Date.now() - 1000).toISOString();
    const soon = new Date(Date.now() + 60_000).toISOString();
    expect(await keyed({})).toEqual([200, '{"allowed":true}']);
    expect(await keyed({ rights: ['check'], agentIds: [agentId], expiresAt: soon })).toEqual([200, '{"allowed":true}']);
    expect(await keyed({ agentIds: [agentId] }, agentId.toUpperCase())).toEqual([200, '{"allowed":true}']);
    const elsewhere = await keyed({ agentIds: [agentId] }, other);
    expect(elsewhere).toEqual([404, expect.stringContaining('not for that agent')]);
    // An agent that does not exist and another account's give the same answer.
    expect(await keyed({ agentIds: [agentId] }, randomUUID())).toEqual(elsewhere);
    expect(await keyed({ rights: ['scan', 'policy'] })).toEqual([
      401,
      expect.stringContaining('the right \\"check\\"'),
    ]);
    expect(await keyed({ expiresAt: past })).toEqual([401, expect.stringContaining(`expired at ${past}`)]);
    expect(await keyed({ revokedAt: past })).toEqual([401, expect.stringContaining(`revoked at ${past}`)]);
    const unknown = await bench.check(
      { type: 'a' },
      { headers: { 'x-service-key': mintApiKey((n) => randomBytes(n)) } },
    );
    expect([unknown.status, unknown.body]).toEqual([401, { error: expect.stringMatching('no such API key here') }]);
    const { port } = bench.gateway;
    const none = await send(port, { headers: { 'x-api-key': bench.key }, body: '{}' });
    expect(none.body).toEqual({ error: expect.stringMatching(/^x-api-key is not read/) });
  });

  it('lets no key act as an agent that a key registered, unless it names that agent or is the first', async () => {
    const registered = randomUUID();
    await bench.putAgent(registered, {}, { registeredByKey: randomUUID() });
    const by = async (facts: Partial<ApiKeyFacts>): Promise<[number, string]> => {
      const key = mintApiKey((bytes) => randomBytes(bytes));
      await bench.putKey(randomUUID(), key, facts);
      await bench.gateway.counters.raise('api-key', createHash('sha256').update(key).digest('hex'), 1);
      const headers = { 'x-service-key': key };
      const { status, text } = await bench.check({ type: 'a' }, { headers }, registered.toUpperCase());
      return [status, text];
    };
    const before = (await bench.events()).length;
    const ways = expect.stringMatching(new RegExp(`^{"error":"no such agent .*POST /v1/api-keys .*${registered}`));
    expect(await by({ rights: ['register', 'check'] })).toEqual([404, ways]);
    expect(await by({ agentIds: [bench.agentId] })).toEqual([404, expect.stringContaining('not for that agent')]);
    expect((await bench.events()).length).toBe(before);
    expect(await by({ agentIds: [registered] })).toEqual([200, '{"allowed":true}']);
    expect(await by({ first: true })).toEqual([200, '{"allowed":true}']);
  });

  it('takes the key from either header; x-service-key alone decides; a header sent twice is 401', async () => {
    const { port } = bench.gateway;
    const body = JSON.stringify({ agentId: bench.agentId, action: { type: 'a' } });
    const bearer = `Bearer ${bench.key}`;
    expect((await send(port, { headers: { authorization: bearer }, body })).status).toBe(200);
    expect((await send(port, { headers: { authorization: bearer, 'x-service-key': 'nope' }, body })).status).toBe(401);
    expect((await send(port, { headers: { 'x-service-key': [bench.key, bench.key] }, body })).status).toBe(401);
    expect((await send(port, { body })).status).toBe(401);
    expect((await bench.send({ path: '/v1/check?x=1', body })).status).toBe(200);
    expect((await bench.send({ path: '/v1/mcp/check', body })).status).toBe(200);
    expect((await bench.send({ path: '/v1/checks', body })).status).toBe(404);
  });

  it('names each answer, and logs from where a refused check came', async () => {
    // A second has one line for each status and address, and the tests before this one were refused too.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const { port } = bench.gateway;
    const body = JSON.stringify({ agentId: bench.agentId, action: { type: 'a' } });
    const revoked = mintApiKey((bytes) => randomBytes(bytes));
    const answers = [
      await bench.send({ body }),
      await send(port, { method: 'GET' }),
      await bench.send({ body: '{' }),
      await send(port, { headers: { 'x-service-key': revoked }, body }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 405, 400, 401]);
    const ids = answers.map(({ headers }) => String(headers['x-request-id']));
    expect(new Set(ids).size).toBe(4);
    expect(lines).toContainEqual({
      words: 'check refused',
      status: 401,
      reason: expect.any(String),
      requestId: ids[3],
      address: '127.0.0.1',
      keyPrefix: revoked.slice(0, 16),
      more: expect.any(Number),
    });
    expect(JSON.stringify(lines)).not.toContain(revoked);
  });

  it('obeys changes from before the check, and waits for those it has not read yet', async () => {
    const key = mintApiKey((bytes) => randomBytes(bytes));
    const keyId = randomUUID();
    const agentId = randomUUID();
    await bench.putKey(keyId, key);
    await bench.gateway.counters.raise('api-key', (await import('./follow/read-model.js')).keySha256(key), 1);
    await bench.putAgent(agentId, {});
    const headers = { 'x-service-key': key };
    expect((await bench.check({ type: 'a' }, { headers }, agentId)).status).toBe(200);
    await bench.putAgent(agentId, { off_limits_actions: ['a'] });
    expect((await bench.check({ type: 'a' }, { headers }, agentId)).body.allowed).toBe(false);
    await bench.putAgent(agentId, {}, { status: 'inactive' });
    expect((await bench.check({ type: 'a' }, { headers }, agentId)).status).toBe(404);
    await bench.putKey(keyId, key, { revokedAt: new Date().toISOString() });
    expect((await bench.check({ type: 'a' }, { headers })).status).toBe(401);
    // For this key another account's agent does not exist.
    await bench.putAgent(agentId, {}, { accountId: randomUUID() });
    expect((await bench.check({ type: 'a' }, {}, agentId)).status).toBe(404);
  });

  it('reads a large payload in time slices, and judges all of it', async () => {
    const agentId = randomUUID();
    const rules = { blocked_pii: ['email' as const], block_secrets: true, blocked_topics: [], max_length: null };
    await bench.putAgent(agentId, { output_rules: rules });
    const taken = jest.spyOn(TimeSlicer.prototype, 'take');
    const ask = async (payload: unknown): Promise<unknown> => {
      const { body } = await bench.check({ type: 'a', payload }, {}, agentId);
      return body.pii_kind ?? body.allowed;
    };
    expect(await ask('a word')).toBe(true);
    expect(taken).not.toHaveBeenCalled();
    const text = '1 '.repeat(125_000);
    expect(await Promise.all([ask([text, text, `${text}a@b.example`]), ask([text]), ask('b')])).toEqual([
      'email',
      true,
      true,
    ]);
    expect(taken).toHaveBeenCalledTimes(2);
    jest.restoreAllMocks();
  });

  it('makes the same calls to the counters for an agent of another account as for one that does not exist', async () => {
    const strangers = randomUUID();
    await bench.putAgent(strangers, {}, { accountId: randomUUID() });
    const { counters } = bench.gateway;
    const asked = jest.spyOn(counters, 'version');
    const checked = jest.spyOn(counters, 'check');
    // The first check waits until the gateway's read model has the agent.
    expect((await bench.check({ type: 'a' }, {}, strangers)).status).toBe(404);
    for (const agentId of [strangers, randomUUID()]) {
      asked.mockClear();
      const answer = await bench.check({ type: 'a' }, {}, agentId);
      expect([answer.status, answer.text]).toEqual([404, '{"error":"no such agent, or it is inactive"}']);
      expect(asked.mock.calls).toEqual([['agent', agentId]]);
    }
    expect(checked).not.toHaveBeenCalled();
    jest.restoreAllMocks();
  });

  it('answers any request, never with 500', async () => {
    const text = fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc.jsonValue().map((action) => JSON.stringify({ agentId: bench.agentId, action })),
      fc
        .dictionary(fc.string(), fc.jsonValue())
        .map((more) => JSON.stringify({ agentId: bench.agentId, action: { ...more, type: 'x' } })),
      fc.constantFrom(
        `{"agentId":"${bench.agentId}","action":{"type":"a","type":"b"}}`,
        `{"agentId":"${bench.agentId}","action":{"type":"\\ud800"}}`,
        `{"agentId":"${bench.agentId}","action":{"type":"a","estimatedCost":1e999}}`,
        `{"agentId":"${bench.agentId}","action":{"type":"a","payload":${'['.repeat(40)}${']'.repeat(40)}}}`,
        `{"agentId":"${bench.agentId}","action":{"type":"a","payload":[${'1e20,'.repeat(200_000)}1]}}`,
        `\ufeff{"agentId":"${bench.agentId}","action":{"type":"a"}}`,
        `{"agentId":"${bench.agentId}","action":{"type":"a","__proto__":{"url":"x"},"constructor":1}}`,
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, fc.uint8Array()), async (body) => {
        const answer = await bench.send({ body });
        expect([200, 400, 413]).toContain(answer.status);
        expect(typeof answer.body).toBe('object');
        expect('error' in answer.body).toBe(answer.status !== 200);
      }),
      { numRuns: 300 },
    );
  });

  it('reports in metrics what it did', async () => {
    const text = await bench.gateway.metrics.metrics();
    expect(text).toMatch(/countersign_checks_total\{outcome="allowed"\} [1-9]/);
    expect(text).toMatch(/countersign_check_answers_total\{status="401"\} [1-9]/);
    expect(text).toMatch(/# TYPE countersign_check_duration_seconds histogram/);
    expect(text).toMatch(/countersign_check_duration_seconds_bucket\{le="\+Inf"\} [1-9]/);
    expect(text).toContain('countersign_checks_in_flight 0');
  });
});
