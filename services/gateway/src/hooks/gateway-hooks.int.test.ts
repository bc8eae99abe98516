import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mintApiKey } from '@countersign/process';
import type { Answer } from '../gateway.test-setup.js';
import { ServedGateway } from '../served-gateway.test-setup.js';
import { readGuardrail } from './read-guardrail.js';

const vectors = <T>(name: string): readonly T[] =>
  (JSON.parse(readFileSync(new URL(`../../vectors/hooks/${name}.json`, import.meta.url), 'utf8')) as { cases: T[] })
    .cases;

interface GuardrailCase {
  readonly name: string;
  readonly body: object;
  readonly actions: readonly object[];
}
interface EnvoyCase {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly action: object;
}

const gateway = new ServedGateway();
const { bench } = gateway;
const twin = randomUUID();

beforeAll(async () => {
  await gateway.open();
  const profile = { off_limits_actions: ['Forbidden'], blocked_apis: ['evil.example'] };
  await bench.putAgent(
    bench.agentId,
    { ...profile, output_rules: { blocked_pii: [], block_secrets: true, blocked_topics: [], max_length: null } },
    { name: 'support-bot' },
  );
  await gateway.counters.raise('agent', bench.agentId, 2);
});
afterAll(() => gateway.close());

async function recorded({ headers }: Answer): Promise<unknown> {
  const found = (await bench.events()).find(({ leaf }) => leaf.eventId === headers['x-event-id']);
  return found?.openings.action?.value;
}

describe('LiteLLM’s guardrail', () => {
  const post = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    gateway.post('/beta/litellm_basic_guardrail_api', body, headers);
  const expectBlocked = ({ status, body }: Answer, reason: string): void => {
    expect(status).toBe(200);
    expect(body).toEqual({ action: 'BLOCKED', blocked_reason: expect.stringContaining(reason) as string });
  };
  const toolCall = (name: string, args: unknown = '{}'): object => ({
    input_type: 'response',
    tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: args } }],
  });

  it.each(vectors<GuardrailCase>('litellm').map((one) => [one.name, one] as const))(
    'reads %s as its checks',
    (_name, { body, actions }) => {
      expect(readGuardrail(body)).toEqual({ keyAlias: undefined, actions });
    },
  );

  it('lets what is allowed pass, with an event for each check', async () => {
    const before = (await bench.events()).length;
    const answer = await post({ ...toolCall('Bash'), texts: ['Hello', ' ', 'world'] });
    expect(answer.body).toEqual({ action: 'NONE' });
    expect((await bench.events()).length).toBe(before + 2);
    expect(await recorded(answer)).toMatchObject({ type: 'tool_use', toolName: 'Bash' });
  });

  it('blocks a tool call, an address in its arguments, and a text', async () => {
    expectBlocked(await post(toolCall('Forbidden')), 'off limits');
    expectBlocked(await post(toolCall('fetch', '{"url":"https://evil.example/x"}')), 'evil.example');
    expectBlocked(await post({ input_type: 'request', texts: ['AKIAIOSFODNN7EXAMPLE'] }), 'block_secrets');
  });

  it('checks nothing after a denial', async () => {
    const before = (await bench.events()).length;
    const two = toolCall('Forbidden') as { tool_calls: object[] };
    expectBlocked(await post({ ...two, tool_calls: [...two.tool_calls, ...two.tool_calls] }), 'off limits');
    expect((await bench.events()).length).toBe(before + 1);
  });

  it('checks also a request without any text', async () => {
    const answer = await post({ input_type: 'request', texts: [], images: ['data:image/png;base64,AA=='] });
    expect(answer.body).toEqual({ action: 'NONE' });
    expect(await recorded(answer)).toMatchObject({ type: 'llm_request', metadata: { images: 1 } });
  });

  it('acts as the agent whose id or name is the alias of the key', async () => {
    const named = (alias: string): Promise<Answer> =>
      post(
        { input_type: 'request', texts: ['a'], request_data: { user_api_key_alias: alias } },
        { 'x-countersign-agent': '' },
      );
    expect((await named('support-bot')).body).toEqual({ action: 'NONE' });
    expect((await named(bench.agentId.toUpperCase())).body).toEqual({ action: 'NONE' });
    expectBlocked(await named('other-bot'), 'no agent that this API key is valid for');
    expectBlocked(await named(randomUUID()), 'no such agent');
    await bench.putAgent(twin, {}, { name: 'support-bot' });
    await gateway.counters.raise('agent', twin, 1);
    await post({ input_type: 'request', texts: ['a'] }, { 'x-countersign-agent': twin });
    expectBlocked(await named('support-bot'), 'several agents');
    await bench.putAgent(twin, {}, { name: 'renamed' });
    await gateway.counters.raise('agent', twin, 2);
    await post({ input_type: 'request', texts: ['a'] }, { 'x-countersign-agent': twin });
    expect((await named('support-bot')).body).toEqual({ action: 'NONE' });
    expect((await named('renamed')).body).toEqual({ action: 'NONE' });
  });

  it.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['another input_type', { input_type: 'sometime', texts: ['a'] }],
    ['texts that are none', { input_type: 'request', texts: [1] }],
    ['tool calls that are none', { input_type: 'response', tool_calls: {} }],
    ['a tool call without a name', { input_type: 'response', tool_calls: [{ function: {} }] }],
    ['a body of a hook', { hook_event_name: 'PreToolUse', tool_name: 'a', tool_input: {} }],
    ['a body of 2 MiB', `{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`],
  ])('blocks %s', async (_what, body) => {
    expectBlocked(await post(body), 'Countersign did not decide');
  });

  it('blocks without a valid key', async () => {
    expectBlocked(await post({ input_type: 'request', texts: ['a'] }, { 'x-service-key': 'x' }), 'not an API key');
  });
});

describe('Envoy’s external authorization', () => {
  const ask = (
    target: string,
    { method = 'GET', host = 'api.example', ...headers }: Readonly<Record<string, string>> = {},
  ): Promise<Answer> =>
    gateway.send({
      method,
      path: target,
      headers: { host, 'x-service-key': bench.key, 'x-countersign-agent': bench.agentId, ...headers },
    });

  it.each(vectors<EnvoyCase>('envoy').map((one) => [one.target, one] as const))(
    'checks %s',
    async (target, { method, headers, action }) => {
      const filled = { ...headers, 'x-service-key': bench.key, 'x-countersign-agent': bench.agentId };
      const answer = await ask(target, { method, ...filled });
      expect([answer.status, answer.body]).toEqual([200, { allowed: true }]);
      expect(await recorded(answer)).toEqual(action);
    },
  );

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    'allows and denies %s requests by their address',
    async (method) => {
      expect((await ask('/v1/ext-authz/a', { method })).status).toBe(200);
      const denied = await ask('/v1/ext-authz/a', { method, host: 'evil.example' });
      expect(denied.status).toBe(403);
      if (method !== 'HEAD') expect(denied.body).toMatchObject({ allowed: false, violation_type: 'api_not_allowed' });
      expect(await recorded(denied)).toMatchObject({ url: 'https://evil.example/a', metadata: { method } });
    },
  );

  it.each([
    ['/v1/ext-authz', 'https://api.example/'],
    ['/v1/ext-authz/', 'https://api.example/'],
    ['/v1/ext-authz/a%2F..%2Fb//c?d=%20', 'https://api.example/a%2F..%2Fb//c?d=%20'],
    ['/v1/ext-authz/v1/ext-authz/a', 'https://api.example/v1/ext-authz/a'],
  ])('reads the address of %s', async (target, url) => {
    const answer = await ask(target);
    expect(answer.status).toBe(200);
    expect(await recorded(answer)).toMatchObject({ url });
  });

  it('takes no agent from the query, which is of the client', async () => {
    const answer = await ask(`/v1/ext-authz/a?agent=${bench.agentId}`, { 'x-countersign-agent': '' });
    expect([answer.status, answer.body]).toEqual([
      403,
      { allowed: false, reason: expect.stringContaining('x-countersign-agent') as string },
    ]);
  });

  it.each([
    ['no key', { 'x-service-key': '' }],
    ['an unknown key', { 'x-service-key': mintApiKey((n) => randomBytes(n)) }],
    ['an agent that there is not', { 'x-countersign-agent': randomUUID() }],
  ])('denies with %s', async (_what, headers) => {
    const answer = await ask('/v1/ext-authz/a', headers);
    expect([answer.status, answer.body]).toEqual([
      403,
      { allowed: false, reason: expect.stringContaining('Countersign did not decide') as string },
    ]);
  });

  it('denies while the agent is frozen, and while nothing can be made durable', async () => {
    await gateway.counters.freeze(bench.agentId, Date.now());
    expect((await ask('/v1/ext-authz/a')).status).toBe(403);
    await gateway.counters.unfreeze(bench.agentId);
    const { log } = bench;
    const append = log.append.bind(log);
    log.append = () => Promise.reject(new Error('the disk is full'));
    expect((await ask('/v1/ext-authz/a')).status).toBe(403);
    log.append = append;
  });
});
