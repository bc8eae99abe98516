import { Countersign } from '../index.js';
import { guardHooks } from './mastra.js';
import type { ToolGuardOptions } from './tool-call.js';

interface Seen {
  readonly agentId: string;
  readonly action?: { readonly toolName: string; readonly metadata?: unknown };
  readonly outcome?: string;
}

/** A client of a service that denies the tool `wire`, and the bodies that it was sent. */
function service(status = 200): { client: Countersign; seen: Seen[] } {
  const seen: Seen[] = [];
  const fetch = (url: string, { body }: RequestInit): Promise<Response> => {
    const sent = JSON.parse(body as string) as Seen;
    seen.push(sent);
    const denies = sent.action?.toolName === 'wire';
    const answer = denies ? { allowed: false, reason: 'off limits', severity: 'P1' } : { allowed: true };
    const headers = { 'x-event-id': `event-${seen.length}` };
    return Promise.resolve(
      new Response(JSON.stringify(answer), { status: url.endsWith('/log') ? 201 : status, headers }),
    );
  };
  return { client: new Countersign({ apiKey: 'k', agentId: 'clerk-id', fetch, retries: 0 }), seen };
}

type Execute = (input: unknown) => unknown;

/** Executes a tool as an agent of @mastra/core 1.71 does that has hooks (`wrapToolWithHooks`). */
async function called(hooks: ReturnType<typeof guardHooks>, agentName: string, toolName: string, execute: Execute) {
  const context = { toolCallId: 'call_0', agent: { toolCallId: 'call_0' } };
  const given = { toolName, input: { usd: 40 }, context, metadata: { agentId: agentName, agentName } };
  const before = await hooks.beforeToolCall(given);
  if (before?.proceed === false) return before.output;
  let output: unknown;
  try {
    output = await execute(given.input);
  } catch (error) {
    await hooks.afterToolCall({ ...given, output, error });
    throw error;
  }
  await hooks.afterToolCall({ ...given, output });
  return output;
}

const never = (): never => {
  throw new Error('it was executed');
};

describe('hooks of a Mastra agent', () => {
  it('let an allowed call be executed, and report its outcome', async () => {
    const { client, seen } = service();
    const hooks = guardHooks(client);
    expect(await called(hooks, 'clerk', 'refund', () => 'paid')).toBe('paid');
    await expect(called(hooks, 'clerk', 'refund', never)).rejects.toThrow('it was executed');
    const refused = { error: true, message: 'usd: a number', validationErrors: {} };
    expect(await called(hooks, 'clerk', 'refund', () => refused)).toBe(refused);
    expect(seen.flatMap(({ outcome }) => outcome ?? [])).toEqual(['succeeded', 'failed', 'failed']);
    expect(seen[0]).toMatchObject({
      agentId: 'clerk-id',
      action: { toolName: 'refund', payload: { usd: 40 }, metadata: { agent: 'clerk', toolCallId: 'call_0' } },
    });
  });

  it('give the model the reason in place of the result of a denied call', async () => {
    const { client, seen } = service();
    expect(await called(guardHooks(client), 'clerk', 'wire', never)).toMatch(/^Not executed: .*off limits/u);
    expect(seen).toHaveLength(1);
  });

  it('keep the calls of a sub-agent apart, which acts under its own record', async () => {
    const { client, seen } = service();
    const [parent, child] = [guardHooks(client), guardHooks(client, { agentId: () => 'payer-id' })];
    const delegate = async (): Promise<unknown> => [
      await called(child, 'payer', 'wire', never),
      await called(child, 'payer', 'refund', () => 'paid'),
    ];
    const output = await called(parent, 'clerk', 'agent-payer', delegate);
    expect(output).toEqual([expect.stringMatching(/^Not executed/u), 'paid']);
    const sent = seen.map(({ agentId, action, outcome }) => [agentId, action?.toolName ?? outcome]);
    expect(sent).toEqual([
      ['clerk-id', 'agent-payer'],
      ['payer-id', 'wire'],
      ['payer-id', 'refund'],
      ['payer-id', 'succeeded'],
      ['clerk-id', 'succeeded'],
    ]);
  });

  it('keep a call from being executed that is not decided, or of an unknown version of the framework', async () => {
    expect(await called(guardHooks(service(503).client), 'clerk', 'refund', never)).toMatch(/nobody decided/u);
    const hooks = guardHooks(service().client);
    await expect(hooks.beforeToolCall({ toolName: 'refund', input: {}, context: undefined })).rejects.toThrow(
      TypeError,
    );
    expect(() => guardHooks(service().client, { agent: 'a' } as ToolGuardOptions)).toThrow(TypeError);
  });
});
