import { Countersign } from '../index.js';
import { guardTools } from './ai-sdk.js';
import { guardTools as guardLangChainTools } from './langchain.js';
import { guardTool } from './openai-agents.js';
import { beginToolCall } from './tool-call.js';

const AGENT = '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77';

interface Seen {
  readonly agentId: string;
  readonly action: unknown;
  readonly key: string | undefined;
}

/** A client of a service that answers every check so, and the checks that it was sent. */
function service(status: number, answer: object): { client: Countersign; seen: Seen[] } {
  const seen: Seen[] = [];
  const fetch = (_url: string, { body, headers }: RequestInit): Promise<Response> => {
    const { agentId, action } = JSON.parse(body as string) as Seen;
    seen.push({ agentId, action, key: (headers as Record<string, string>)['idempotency-key'] });
    return Promise.resolve(new Response(JSON.stringify(answer), { status }));
  };
  return { client: new Countersign({ apiKey: 'k', agentId: AGENT, fetch, retries: 0 }), seen };
}

const call = { toolName: 'refund', input: { usd: 40 }, toolCallId: 'call_0' };

describe('a call of a tool', () => {
  it('is a tool_use with its input, and a check of its own although its id is repeated', async () => {
    const { client, seen } = service(200, { allowed: true });
    for (let run = 0; run < 2; run += 1) await (await beginToolCall(client, call, {})).succeeded();
    const action = { type: 'tool_use', toolName: 'refund', payload: { usd: 40 }, metadata: { toolCallId: 'call_0' } };
    expect(seen.map((one) => [one.agentId, one.action])).toEqual([
      [AGENT, action],
      [AGENT, action],
    ]);
    expect(new Set(seen.map(({ key }) => key)).size).toBe(2);
  });

  it('follows its options', async () => {
    const { client, seen } = service(200, { allowed: true });
    await beginToolCall(client, call, {
      action: ({ input }) => ({ actionType: 'pay', estimatedCost: (input as { usd: number }).usd }),
      agentId: () => 'another',
      idempotencyKey: ({ toolCallId }) => `run-7:${toolCallId}`,
    });
    expect(seen).toMatchObject([
      { agentId: 'another', key: 'run-7:call_0', action: { type: 'pay', toolName: 'refund', estimatedCost: 40 } },
    ]);
  });

  it.each([
    [200, { allowed: false, reason: 'spending_limit is 10. Ask for less.' }, /was denied: spending_limit is 10\. Ask/u],
    [
      403,
      { reason: 'This agent is frozen.', code: 'agent_frozen' },
      /may not be called: .*frozen\. .*changes nothing/u,
    ],
    [503, { reason: 'busy' }, /nobody decided .* \(unavailable\)\. Go on without it/u],
  ])('that may not be executed says so to the model: %i', async (status, answer, words) => {
    const { client } = service(status, answer);
    await expect(beginToolCall(client, call, {})).rejects.toThrow(words);
  });
});

describe('tools that cannot be guarded', () => {
  const { client } = service(200, { allowed: true });

  it('are an error, unless they are declared to run elsewhere', () => {
    const tools = { refund: { execute: () => 'paid' }, confirm: {} };
    expect(() => guardTools(client, tools)).toThrow(/confirm has no execute/u);
    const guarded = guardTools(client, tools, { elsewhere: ['confirm'] });
    expect([guarded.confirm, guarded.refund === tools.refund]).toEqual([tools.confirm, false]);
  });

  it('are an error if an option is unknown', () => {
    const actions = { actions: () => ({}) } as never;
    expect(() => guardTools(client, {}, actions)).toThrow(/unknown option "actions"\. Did you mean "action"/u);
    expect(() => guardLangChainTools(client, [], actions)).toThrow(/unknown option/u);
    expect(() => guardTool(client, () => null, { action: 'x' } as never)).toThrow(/action: a function/u);
  });

  it('are an error if they are not tools of LangChain', () => {
    expect(() => guardLangChainTools(client, [{ name: 'refund', func: () => 'paid' }])).toThrow(/refund is no/u);
  });

  it('are an error if they return a generator, which has done nothing yet', async () => {
    const tool = guardTool(client, (definition: { execute: (input: unknown) => unknown }) => definition);
    const pieces = async function* (): AsyncGenerator<string> {
      yield 'paid';
    };
    await expect(tool({ name: 'refund', execute: pieces } as never).execute({})).rejects.toThrow(/generator/u);
  });

  it('are an error if a denial does not match their output schema', async () => {
    const denying = service(200, { allowed: false, reason: 'no' }).client;
    const tool = guardTool(denying, (definition: { execute: (input: unknown) => unknown }) => definition);
    const refund = { name: 'refund', execute: () => 'paid', outputSchema: {} };
    expect(() => tool(refund)).toThrow(/refund has an outputSchema/u);
    const withErrors = tool({ ...refund, errorFunction: () => null } as never);
    await expect(withErrors.execute({})).rejects.toThrow('Not executed');
    await expect(tool({ name: 'refund', execute: () => 'paid' } as never).execute({})).resolves.toMatch('Not executed');
  });
});
