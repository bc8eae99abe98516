import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { HOOK_TOOLS } from '@countersign/contracts';
import type { HookTool } from '@countersign/contracts';
import { mintApiKey } from '@countersign/process';
import { ServedGateway } from '../served-gateway.test-setup.js';
import type { Answer } from '../gateway.test-setup.js';

/** A call of the tool that the profile denies, and one that it allows. */
const CALLS: Readonly<Record<HookTool, (tool: string, id: string) => object>> = {
  'claude-code': (tool, id) => ({
    ...{ session_id: 's', cwd: '/srv', hook_event_name: 'PreToolUse' },
    ...{ tool_name: tool, tool_input: { command: 'ls' }, tool_use_id: id },
  }),
  codex: (tool, id) => ({
    ...{ session_id: 's', turn_id: 't', model: 'm', cwd: '/srv', hook_event_name: 'PreToolUse' },
    ...{ tool_name: tool, tool_input: { command: 'ls' }, tool_use_id: id },
  }),
  cursor: (tool, id) => ({
    ...{ conversation_id: 's', hook_event_name: 'preToolUse' },
    ...{ tool_name: tool, tool_input: { command: 'ls' }, tool_use_id: id },
  }),
  gemini: (tool) => ({ session_id: 's', hook_event_name: 'BeforeTool', tool_name: tool, tool_input: { a: 1 } }),
  copilot: (tool) => ({ sessionId: 's', timestamp: 1, cwd: '/srv', toolName: tool, toolArgs: { a: 1 } }),
};

/** The decision of an answer as its tool reads it; `null`: none. */
function decisionIn(tool: HookTool, { text }: Answer): { readonly decision: unknown; readonly reason: unknown } | null {
  if (text === '') return null;
  const body = JSON.parse(text) as Record<string, unknown>;
  const inner = (body['hookSpecificOutput'] ?? body) as Record<string, unknown>;
  const decision = inner['permissionDecision'] ?? body['permission'] ?? body['decision'];
  const reason = inner['permissionDecisionReason'] ?? body['user_message'] ?? body['reason'];
  if (tool === 'claude-code' || tool === 'codex') {
    if (decision !== undefined) expect(inner['hookEventName']).toBe('PreToolUse');
  }
  return decision === undefined ? null : { decision, reason };
}

describe('hooks', () => {
  const gateway = new ServedGateway();
  const { bench } = gateway;
  const ask = (tool: HookTool, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    gateway.post(`/v1/hooks/${tool}`, body, headers);

  beforeAll(async () => {
    await gateway.open();
    await bench.putAgent(bench.agentId, { off_limits_actions: ['Forbidden'], blocked_apis: ['evil.example'] });
    await gateway.counters.raise('agent', bench.agentId, 2);
  });
  afterAll(() => gateway.close());

  describe.each(HOOK_TOOLS)('of %s', (tool) => {
    const call = CALLS[tool];
    const expectDenied = (answer: Answer, reason: string): void => {
      expect(answer.status).toBe(200);
      expect(decisionIn(tool, answer)).toEqual({ decision: 'deny', reason: expect.stringContaining(reason) as string });
    };

    it('leave an allowed call to the permissions of the user, once its event is durable', async () => {
      const answer = await ask(tool, call('Bash', randomUUID()));
      expect([answer.status, decisionIn(tool, answer)]).toEqual([
        200,
        tool === 'cursor' ? { decision: 'allow', reason: undefined } : null,
      ]);
      if (tool === 'codex') expect(answer.text).toBe('');
      const recorded = (await bench.events()).find(({ leaf }) => leaf.eventId === answer.headers['x-event-id']);
      expect(recorded?.leaf).toMatchObject({ type: 'action.checked', allowed: true, agentId: bench.agentId });
      expect(recorded?.openings.action?.value).toMatchObject({
        type: 'tool_use',
        toolName: 'Bash',
        metadata: { source: tool, session: 's' },
      });
    });

    it('deny a call that the profile denies, naming rule and event', async () => {
      const answer = await ask(tool, call('Forbidden', randomUUID()));
      expectDenied(answer, 'Countersign denied this: ');
      const { reason } = decisionIn(tool, answer)!;
      expect(reason).toContain('(rule off_limits_actions: Forbidden)');
      expect(reason).toContain(`event ${String(answer.headers['x-event-id'])}`);
    });

    it.each([
      ['no JSON', '{', 'Countersign did not decide'],
      ['nothing', '', 'Countersign did not decide'],
      ['a list', '[]', 'the body of a hook is an object'],
      ['another event', { hook_event_name: 'Sometime', tool_name: 'Bash', tool_input: {} }, 'this hook is for'],
      ['a body of 2 MiB', `{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`, 'at most 1 MiB'],
      ['a body of 1 MiB', `{"a":"${'x'.repeat(1024 * 1024 - 10)}"}`, 'Countersign did not decide'],
      ['a key twice', '{"a":1,"a":2}', 'Countersign did not decide'],
    ])('deny %s', async (_what, body, reason) => {
      expectDenied(await ask(tool, body), reason);
    });

    it.each([
      ['no key', { 'x-service-key': '' }, 'x-service-key is empty'],
      ['an unknown key', { 'x-service-key': mintApiKey((n) => randomBytes(n)) }, 'there is no such API key here'],
      ['another content type', { 'content-type': 'text/plain' }, 'application/json'],
      ['an agent that there is not', { 'x-countersign-agent': randomUUID() }, 'no such agent'],
      ['an agent that is no UUID', { 'x-countersign-agent': 'me' }, 'agentId must be a UUID'],
      ['no agent, for a key of several', { 'x-countersign-agent': '' }, 'x-countersign-agent'],
    ])('deny with %s', async (_what, headers, reason) => {
      expectDenied(await ask(tool, call('Bash', randomUUID()), headers), reason);
    });

    it('deny the bodies of other tools', async () => {
      for (const other of HOOK_TOOLS.filter((one) => one !== tool)) {
        const file = new URL(`../../vectors/hooks/${other}.json`, import.meta.url);
        const { cases } = JSON.parse(readFileSync(file, 'utf8')) as {
          readonly cases: readonly { readonly onlyHere?: boolean; readonly body: unknown }[];
        };
        for (const { body } of cases.filter(({ onlyHere }) => onlyHere === true)) {
          expectDenied(await ask(tool, body), 'Countersign did not decide');
        }
      }
    });
  });

  it('act as the only agent of their key, whatever else is named', async () => {
    const key = mintApiKey((n) => randomBytes(n));
    await bench.putKey(randomUUID(), key, { agentIds: [bench.agentId] });
    await gateway.counters.raise('api-key', createHash('sha256').update(key).digest('hex'), 1);
    const bearer = await gateway.send({
      path: '/v1/hooks/gemini?agent=other',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        'x-countersign-agent': randomUUID(),
      },
      body: JSON.stringify(CALLS.gemini('Bash', '')),
    });
    expect([bearer.status, bearer.text]).toEqual([200, '{}']);
  });

  it('take the agent from the query, with the key as bearer token', async () => {
    const answer = await gateway.send({
      path: `/v1/hooks/gemini?agent=${bench.agentId.toUpperCase()}`,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${bench.key}` },
      body: JSON.stringify(CALLS.gemini('Bash', '')),
    });
    expect([answer.status, answer.text]).toEqual([200, '{}']);
  });

  it('deny in both forms where Copilot or VS Code send the names of VS Code', async () => {
    const call = {
      ...{ hook_event_name: 'PreToolUse', session_id: 's', timestamp: '2026-11-26T00:00:00.000Z', cwd: '/srv' },
      ...{ tool_name: 'Forbidden', tool_input: {} },
    };
    const { body } = (await ask('copilot', call)) as { readonly body: Record<string, unknown> };
    const { permissionDecision, permissionDecisionReason, hookSpecificOutput } = body;
    expect([permissionDecision, hookSpecificOutput]).toEqual([
      'deny',
      { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason },
    ]);
  });

  it('judge addresses in the arguments of any tool', async () => {
    const fetch = {
      ...CALLS['claude-code']('WebFetch', 'f'),
      tool_input: { url: 'https://evil.example/x', prompt: 'p' },
    };
    const answer = await ask('claude-code', fetch);
    expect(decisionIn('claude-code', answer)?.decision).toBe('deny');
    const event = (await bench.events()).find(({ leaf }) => leaf.eventId === answer.headers['x-event-id']);
    expect(event?.openings.action?.value).toMatchObject({ url: 'https://evil.example/x' });
  });

  it('take a file that is longer than other texts', async () => {
    const write = {
      ...CALLS['claude-code']('Write', 'w'),
      tool_input: { file_path: '/srv/a', content: 'x'.repeat(600_000) },
    };
    const answer = await ask('claude-code', write);
    expect([answer.status, answer.text]).toEqual([200, '{}']);
  });

  it('check a repeated call once, and report its outcome with the key of the hook', async () => {
    const call = CALLS['claude-code']('Bash', 'toolu_once');
    const [first, again] = [await ask('claude-code', call), await ask('claude-code', call)];
    expect(again.headers['x-event-id']).toBe(first.headers['x-event-id']);
    gateway.outcomes.length = 0;
    const after = { ...call, hook_event_name: 'PostToolUse', tool_response: { stdout: 'ok' } };
    expect((await ask('claude-code', after)).text).toBe('{}');
    expect(gateway.outcomes).toEqual([
      {
        key: bench.key,
        body: { agentId: bench.agentId, eventId: first.headers['x-event-id'], outcome: 'succeeded' },
      },
    ]);
    const failed = { ...call, hook_event_name: 'PostToolUseFailure', is_interrupt: true };
    await ask('claude-code', failed);
    expect(gateway.outcomes[1]?.body).toMatchObject({ outcome: 'failed', detail: 'interrupted by the user' });
  });

  it('report nothing of a call that the tool does not identify', async () => {
    gateway.outcomes.length = 0;
    const after = { ...CALLS.gemini('Bash', ''), hook_event_name: 'AfterTool', tool_response: {} };
    expect((await ask('gemini', after)).text).toBe('{}');
    expect(gateway.outcomes).toEqual([]);
  });

  it('say that an outcome is not recorded, and block nothing for it', async () => {
    const after = { ...CALLS['claude-code']('Bash', 'toolu_unknown'), hook_event_name: 'PostToolUse' };
    const unknown = await ask('claude-code', after);
    expect([unknown.status, unknown.body]).toEqual([
      200,
      { systemMessage: expect.stringContaining('no check of this call is known') as string },
    ]);
    await ask('codex', CALLS.codex('Bash', 'call_1'));
    gateway.outcomeAnswer = [503, { error: 'the outcome could not be made durable: try again' }];
    const lost = await ask('codex', { ...CALLS.codex('Bash', 'call_1'), hook_event_name: 'PostToolUse' });
    gateway.outcomeAnswer = [201, { eventId: randomUUID() }];
    expect(lost.text).toContain('503 the outcome could not be made durable');
  });

  it('deny with 200 while the agent is frozen, and while nothing can be made durable', async () => {
    await gateway.counters.freeze(bench.agentId, Date.now());
    for (const tool of HOOK_TOOLS) {
      const answer = await ask(tool, CALLS[tool]('Bash', randomUUID()));
      expect([answer.status, decisionIn(tool, answer)?.decision]).toEqual([200, 'deny']);
      expect(decisionIn(tool, answer)?.reason).toContain('frozen');
    }
    await gateway.counters.unfreeze(bench.agentId);
    const { log } = bench;
    const append = log.append.bind(log);
    log.append = () => Promise.reject(new Error('the disk is full'));
    try {
      for (const tool of HOOK_TOOLS) {
        const answer = await ask(tool, CALLS[tool]('Bash', randomUUID()));
        expect([answer.status, decisionIn(tool, answer)?.decision]).toEqual([200, 'deny']);
        expect(decisionIn(tool, answer)?.reason).toContain('Countersign did not decide');
      }
    } finally {
      log.append = append;
    }
  });
});
