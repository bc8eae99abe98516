import { randomUUID } from 'node:crypto';
import type { BehaviorProfile } from '@countersign/contracts';
import { readContext } from '@countersign/evidence';
import { GatewayBench } from './gateway.test-setup.js';

const tool = (tool_name: string, payload: unknown): Record<string, unknown> => ({
  type: 'tool_use',
  tool_name,
  payload,
});

/** Rules with conditions, through the route of checks. */
describe('rules with conditions', () => {
  const bench = new GatewayBench();
  beforeAll(() => bench.open());
  afterAll(() => bench.close());

  const check = (action: unknown, headers: Record<string, string> = {}, agentId = bench.agentId) =>
    bench.check(action, { headers }, agentId);
  const addAgent = async (rules: Partial<BehaviorProfile>): Promise<string> => {
    const id = randomUUID();
    await bench.putAgent(id, rules);
    return id;
  };
  const newest = async () => (await bench.events()).at(-1)!;

  it('deny what they do not prove, and leave everything else to the lists', async () => {
    await bench.putAgent(bench.agentId, {
      rules: [{ id: 'refund-cap', tools: ['refund'], args: { amount: { max: 100 } }, effect: 'deny_unless' }],
    });
    expect((await check(tool('refund', { amount: 100 }))).text).toBe('{"allowed":true}');
    const denied = await check(tool('refund', { amount: 100.5 }));
    expect(denied.body).toMatchObject({ allowed: false, violation_type: 'rule_denied', rule: 'rules:refund-cap' });
    expect((await newest()).leaf).toMatchObject({
      outcome: 'denied',
      violation_type: 'rule_denied',
      coverage: ['rules'],
    });
    expect((await check(tool('refund', {}))).body).toMatchObject({ violation_type: 'rule_denied' });
    expect((await check(tool('lookup', {}))).body).toEqual({ allowed: true });
    expect((await newest()).leaf.coverage).toEqual([]);
  });

  it('are an error that denies, with a code and without the value, where what they read cannot be judged', async () => {
    await bench.putAgent(bench.agentId, {
      rules: [{ id: 'no-root', tools: ['delete'], args: { path: { prefix: '/' } }, effect: 'deny' }],
    });
    const answer = await check(tool('delete', { path: 4711 }));
    expect(answer.body).toMatchObject({
      allowed: false,
      severity: 'P1',
      violation_type: 'rule_error',
      rule: 'rules:no-root',
      detail: 'wrong_type',
    });
    expect(answer.text).not.toContain('4711');
  });

  it('in observe mode deny nothing, and are recorded', async () => {
    await bench.putAgent(bench.agentId, {
      rules: [{ id: 'tried', tools: ['pay'], effect: 'deny', mode: 'observe' }],
    });
    const answer = await check(tool('pay', {}));
    expect(answer.body).toEqual({ allowed: true });
    expect(answer.headers['x-would-deny']).toBe('rule_denied; rule=rules:tried');
    const { leaf, openings } = await newest();
    expect(leaf).toMatchObject({ allowed: true, violation_type: 'rule_denied' });
    expect(openings.context?.value).toMatchObject({ effect: 'observe' });
  });

  it('want another form of the action, which is what is allowed and recorded once it is sent', async () => {
    const patch = [{ op: 'replace', path: '/payload/amount', value: 100 }] as const;
    await bench.putAgent(bench.agentId, {
      freeze_on_violation: true,
      rules: [
        { id: 'cap', tools: ['refund'], when: 'has(args.amount) && args.amount > 100.0', effect: 'modify', patch },
      ],
    });
    const denied = await check(tool('refund', { amount: 820, to: 'c1' }));
    expect(denied.status).toBe(200);
    expect(denied.body).toEqual({
      allowed: false,
      reason: 'The action can be allowed in another form (rule cap). Apply the patch to it, and check the result.',
      severity: 'P2',
      violation_type: 'rule_denied',
      rule: 'rules:cap',
      decision: 'modify',
      next_action: 'modify',
      patch,
    });
    expect(denied.headers['retry-after']).toBeUndefined();
    const event = await newest();
    expect(event.freezesAgent).toBe(false);
    expect(event.openings.context?.value).toMatchObject({ effect: 'modify' });
    expect(readContext(event.openings.context!.value, true, event.leaf)).toMatchObject({ ok: true });
    expect((await check(tool('refund', { amount: 100, to: 'c1' }))).text).toBe('{"allowed":true}');
    const { leaf, openings } = await newest();
    expect(leaf).toMatchObject({ allowed: true, violation_type: null });
    expect(openings.context?.value).toMatchObject({ effect: 'allow' });
  });

  it('judge the modified action whole: a patch allows nothing', async () => {
    await bench.putAgent(bench.agentId, {
      off_limits_actions: ['pay'],
      rules: [
        {
          id: 'cap',
          tools: ['refund'],
          when: 'has(args.amount) && args.amount > 100.0',
          effect: 'modify',
          patch: [{ op: 'replace', path: '/payload/amount', value: 100 }],
        },
        { id: 'none', tools: ['refund'], args: { amount: { min: 100, max: 100 } }, effect: 'deny' },
      ],
    });
    expect((await check(tool('refund', { amount: 820 }))).body).toMatchObject({ decision: 'modify' });
    expect((await check(tool('refund', { amount: 100 }))).body).toMatchObject({ allowed: false, rule: 'rules:none' });
  });

  it('freeze the agent like any other denial where no patch leads to an allowed action', async () => {
    const agentId = await addAgent({
      freeze_on_violation: true,
      rules: [
        {
          id: 'ops',
          tools: ['refund'],
          when: "has(args.to) && args.to != 'ops'",
          effect: 'modify',
          patch: [{ op: 'replace', path: '/payload/amount', value: 100 }],
        },
      ],
    });
    const denied = await check(tool('refund', { amount: 1, to: 'mallory' }), {}, agentId);
    expect(denied.body).toMatchObject({ allowed: false, decision: 'modify', next_action: 'none' });
    expect((await newest()).freezesAgent).toBe(true);
    expect((await check(tool('refund', { amount: 1, to: 'ops' }), {}, agentId)).status).toBe(403);
  });

  it('defer an action until a fact is set, with what is missing and when to try again', async () => {
    await bench.putAgent(bench.agentId, {
      freeze_on_violation: true,
      facts: [{ id: 'kyc_done', set_when: "action.type == 'kyc'" }],
      rules: [{ id: 'kyc', tools: ['pay'], when: '!facts.kyc_done', effect: 'defer', retry_after_seconds: 120 }],
    });
    const key = { 'idempotency-key': randomUUID() };
    const denied = await check(tool('pay', {}), key);
    expect(denied.status).toBe(200);
    expect(denied.body).toMatchObject({
      allowed: false,
      violation_type: 'rule_denied',
      rule: 'rules:kyc',
      decision: 'defer',
      next_action: 'retry',
      missing: ['facts.kyc_done'],
      retry_after: 120,
    });
    expect(denied.headers['retry-after']).toBe('120');
    const event = await newest();
    expect(event.freezesAgent).toBe(false);
    expect(event.openings.context?.value).toMatchObject({ effect: 'defer' });
    const again = await check(tool('pay', {}), key);
    expect([again.headers['retry-after'], again.text]).toEqual(['120', denied.text]);
    expect((await check({ type: 'kyc' })).body).toEqual({ allowed: true });
    expect((await check(tool('pay', {}))).body).toEqual({ allowed: true });
  });

  it('want an approval, which is a denial until it is given', async () => {
    await bench.putAgent(bench.agentId, { rules: [{ id: 'person', tools: ['wire'], effect: 'approve' }] });
    expect((await check(tool('wire', {}))).body).toMatchObject({
      allowed: false,
      violation_type: 'approval_required',
      rule: 'rules:person',
    });
    expect((await newest()).openings.context?.value).toMatchObject({ effect: 'approve' });
  });

  it('read principal, session and the time, which the context of the event has', async () => {
    await bench.putAgent(bench.agentId, {
      rules: [
        {
          id: 'own-account',
          tools: ['export'],
          when: "principal == 'ann' && session == 's-1' && request.time > timestamp('2020-01-01T00:00:00Z')",
          effect: 'deny_unless',
        },
      ],
    });
    const headers = {
      'x-countersign-principal': 'ann',
      'x-countersign-session': 's-1',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    };
    const allowed = await check(tool('export', {}), headers);
    expect(allowed.body).toEqual({ allowed: true });
    expect(allowed.headers['traceparent']).toBe(headers.traceparent);
    const { leaf, openings, order } = await newest();
    const context = readContext(openings.context?.value, true, leaf);
    expect(context).toMatchObject({ ok: true });
    expect(openings.context?.value).toMatchObject({
      effect: 'allow',
      principal: 'ann',
      session: 's-1',
      trace: headers.traceparent,
      request_time: { seconds: expect.any(Number), offsets: {} },
      seen: { order, frozen: false },
    });
    const metadata = { principal: 'ann', session: 's-1' };
    expect((await check({ ...tool('export', {}), metadata })).body).toEqual({ allowed: true });
    const denied = await check(tool('export', {}), { traceparent: 'none' });
    expect(denied.body).toMatchObject({ rule: 'rules:own-account' });
    expect(denied.headers['traceparent']).toBeUndefined();
    expect((await check(tool('export', {}), { 'x-countersign-principal': 'a'.repeat(201) })).status).toBe(400);
  });

  it('commit and repeat the trace of a tool call that is passed on, before that of the request', async () => {
    await bench.putAgent(bench.agentId, {});
    const trace = (id: string): string => `00-${id.repeat(32)}-00f067aa0ba902b7-01`;
    const committed = async (path: string, sent: unknown, headers: Record<string, string>): Promise<unknown[]> => {
      const action = { ...tool('any', {}), _meta: { traceparent: sent } };
      const answer = await bench.check(action, { path, headers });
      expect(answer.body).toEqual({ allowed: true });
      const { openings } = await newest();
      return [answer.headers['traceparent'], (openings.context?.value as { trace?: string }).trace];
    };
    const inHeader = { traceparent: trace('a') };
    for (const path of ['/v1/mcp/check', '/v1/mcp/check?a=b', 'http://countersign.example/v1/mcp/check']) {
      expect(await committed(path, trace('b'), inHeader)).toEqual([trace('b'), trace('b')]);
    }
    expect(await committed('/v1/mcp/check', trace('b'), {})).toEqual([trace('b'), trace('b')]);
    // One that cannot be read is ignored, and elsewhere the member is the caller's own.
    expect(await committed('/v1/mcp/check', trace('0'), inHeader)).toEqual([trace('a'), trace('a')]);
    expect(await committed('/v1/mcp/check', 7, {})).toEqual([undefined, undefined]);
    expect(await committed('/v1/check', trace('b'), inHeader)).toEqual([trace('a'), trace('a')]);
  });

  it('hold an approval and a key of a tool call for its next attempt, which has another trace', async () => {
    const asks = { id: 'ask', tools: ['pay'], effect: 'approve' } as const;
    await bench.putAgent(bench.agentId, { rules: [asks] });
    const attempt = (id: string, name: string): Record<string, unknown> => ({
      ...tool(name, {}),
      _meta: { traceparent: `00-${id.repeat(32)}-00f067aa0ba902b7-01`, progressToken: id, more: 1 },
    });
    const path = '/v1/mcp/check';
    const asked = await Promise.all(['a', 'b'].map((id) => bench.check(attempt(id, 'pay'), { path })));
    const ids = asked.map(({ body }) => (body as { approval_id?: string }).approval_id);
    expect([ids[0], ids[1]]).toEqual([expect.any(String), ids[0]]);
    const headers = { 'idempotency-key': 'traced' };
    const [first, again] = [
      await bench.check(attempt('c', 'any'), { path, headers }),
      await bench.check(attempt('d', 'any'), { path, headers }),
    ];
    expect(again.headers['x-event-id']).toBe(first.headers['x-event-id']);
    const { openings } = await newest();
    expect(openings.action?.value).toEqual({ type: 'tool_use', tool_name: 'any', _meta: { more: 1 } });
    const other = await bench.check({ ...attempt('d', 'any'), _meta: { more: 2 } }, { path, headers });
    expect(other.status).toBe(400);
    for (const progressToken of [{ any: 'text' }, 'x'.repeat(129), 1.5]) {
      const smuggled = { ...tool('any', {}), _meta: { progressToken } };
      expect((await bench.check(smuggled, { path })).body).toEqual({ allowed: true });
      expect((await newest()).openings.action?.value).toMatchObject({ _meta: { progressToken } });
    }
  });

  it('give the same event to a repetition of the key, and refuse the key with another principal', async () => {
    await bench.putAgent(bench.agentId, {});
    const headers = { 'idempotency-key': 'once', 'x-countersign-principal': 'ann' };
    const first = await check(tool('any', {}), headers);
    const again = await check(tool('any', {}), headers);
    expect(again.headers['x-event-id']).toBe(first.headers['x-event-id']);
    expect((await check(tool('any', {}), { ...headers, 'x-countersign-principal': 'bob' })).status).toBe(400);
  });

  it('number the checks of an agent without a gap, denied ones included', async () => {
    const agentId = await addAgent({ rules: [{ id: 'no', tools: ['no'], effect: 'deny' }] });
    for (const name of ['yes', 'no', 'yes']) await check(tool(name, {}), {}, agentId);
    const own = (await bench.events()).filter(({ leaf }) => leaf.agentId === agentId);
    expect(own.map(({ order }) => order)).toEqual([1, 2, 3]);
  });

  it.each([
    [
      'set by an allowed check of the session',
      { 'x-countersign-session': 'a' },
      { 'x-countersign-session': 'a' },
      false,
    ],
    ['set in another session', { 'x-countersign-session': 'a' }, { 'x-countersign-session': 'b' }, true],
    ['set in a session, read without one', { 'x-countersign-session': 'a' }, {}, false],
    ['set without a session, read in one', {}, { 'x-countersign-session': 'b' }, false],
    ['set without a session, read without one', {}, {}, false],
  ] as const)('read a fact %s', async (_what, setting, reading, allowed) => {
    const agentId = await addAgent({
      facts: [{ id: 'secret_read', tools: ['read'], set_when: "args.path.startsWith('/secrets/')" }],
      rules: [{ id: 'no-exfil', tools: ['send'], when: 'facts.secret_read', effect: 'deny' }],
    });
    const call = async (name: string, payload: unknown, headers: Record<string, string>) =>
      (await check(tool(name, payload), headers, agentId)).body;
    expect(await call('send', {}, reading)).toEqual({ allowed: true });
    expect(await call('read', { path: '/public/a' }, setting)).toEqual({ allowed: true });
    expect(await call('send', {}, reading)).toEqual({ allowed: true });
    expect(await call('read', { path: '/secrets/a' }, setting)).toEqual({ allowed: true });
    const last = await call('send', {}, reading);
    if (allowed) expect(last).toEqual({ allowed: true });
    else expect(last).toMatchObject({ allowed: false, rule: 'rules:no-exfil' });
  });

  it('let exactly as many of parallel checks pass as a limit allows, for each value of its key', async () => {
    const agentId = await addAgent({
      limits: [{ id: 'per-customer', tools: ['refund'], key: 'args.customer', max_count: 3, window_seconds: 3600 }],
    });
    const refund = (customer: string) => check(tool('refund', { customer }), {}, agentId);
    const answers = await Promise.all(Array.from({ length: 32 }, (_, n) => refund(n % 2 === 0 ? 'a' : 'b')));
    expect(answers.filter(({ text }) => text === '{"allowed":true}')).toHaveLength(6);
    const denied = answers.find(({ text }) => text !== '{"allowed":true}');
    expect(denied?.body).toMatchObject({
      violation_type: 'limit_exceeded',
      rule: 'limits:per-customer',
      budget: {
        unit: 'count',
        window_seconds: 3600,
        limit: '3',
        consumed: '3',
        remaining: '0',
        resets_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    });
    const event = (await bench.events()).filter(({ leaf }) => leaf.agentId === agentId).at(-1)!;
    expect(event.openings.context?.value).toMatchObject({ seen: { limits: { 'per-customer': '3' } } });
  });
});
