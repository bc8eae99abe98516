import { Countersign } from '../index.js';
import { CheckedCalls } from './interrupt.js';
import { guardTool } from './openai-agents.js';

const AGENT = '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77';
const PENDING = {
  ...{ allowed: false, reason: 'A person approves.', violation_type: 'approval_required', code: 'approval_pending' },
  ...{ approval_id: 'apr_1', approval_url: 'https://console.example/#/approvals/apr_1', next_action: 'retry' },
};
const call = { toolName: 'refund', input: { usd: 40 }, toolCallId: 'call_0' };

interface Asked {
  readonly path: string;
  readonly key: string | undefined;
  readonly approval: string | undefined;
}

/** A client of a service that answers checks in this order, the last one for ever, and says that the approval is decided. */
function service(...answers: readonly (object | null)[]): { client: Countersign; asked: Asked[] } {
  const asked: Asked[] = [];
  const left = [...answers];
  const fetch = (url: string, { headers }: RequestInit): Promise<Response> => {
    const { 'idempotency-key': key, 'x-approval-id': approval } = headers as Record<string, string>;
    const { pathname: path } = new URL(url);
    asked.push({ path, key, approval });
    if (path.startsWith('/v1/approvals/')) return Promise.resolve(new Response('{"state":"approved"}'));
    const answer = left.length > 1 ? left.shift() : left[0];
    if (answer === null) return Promise.reject(new Error('no connection'));
    return Promise.resolve(new Response(JSON.stringify(answer)));
  };
  return { client: new Countersign({ apiKey: 'k', agentId: AGENT, fetch, retries: 0 }), asked };
}

describe('a call that a framework asks about before it executes it', () => {
  it('is checked once, if it is executed as it was checked', async () => {
    const { client, asked } = service({ allowed: true });
    const calls = new CheckedCalls(client, { interrupt: () => undefined });
    const run = {};
    expect(await calls.isPending(run, call)).toBe(false);
    expect(asked).toHaveLength(1);
    await calls.begin(run, call, undefined);
    expect(asked).toHaveLength(1);
    await calls.begin(run, call, undefined);
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['in another run', {}, call],
    ['with another input', null, { ...call, input: { usd: 41 } }],
    ['under another id', null, { ...call, toolCallId: 'call_1' }],
    ['as a call of another tool', null, { ...call, toolName: 'delete' }],
  ])('is checked again %s', async (_, other, executed) => {
    const { client, asked } = service({ allowed: true });
    const calls = new CheckedCalls(client, { interrupt: () => undefined });
    const run = {};
    await calls.isPending(run, call);
    await calls.begin(other ?? run, executed, undefined);
    expect(asked).toHaveLength(2);
  });

  it('names what waits, and its approval in the check of the resumed call, under a new key', async () => {
    const { client, asked } = service(PENDING, PENDING, { allowed: true });
    const pending: unknown[] = [];
    const calls = new CheckedCalls(client, { interrupt: (waits) => pending.push(waits) });
    expect(await calls.isPending({}, call)).toBe(true);
    expect(pending).toEqual([
      {
        ...{ approvalId: 'apr_1', approvalUrl: PENDING.approval_url, reason: PENDING.reason },
        ...{ toolName: 'refund', toolCallId: 'call_0' },
      },
    ]);
    await calls.begin({}, call, undefined);
    expect(asked.map(({ path, approval }) => [path, approval])).toEqual([
      ['/v1/check', undefined],
      ['/v1/check', undefined],
      ['/v1/approvals/apr_1', undefined],
      ['/v1/check', 'apr_1'],
    ]);
    const keys = asked.flatMap(({ key }) => key ?? []);
    expect(new Set(keys).size).toBe(3);
  });

  it.each([
    ['denied', { allowed: false, reason: 'No.' }, 'was denied'],
    ['not decided', null, 'nobody decided'],
  ])('does not interrupt the run if it is %s', async (_, answer, words) => {
    const { client } = service(answer);
    const pending: unknown[] = [];
    const calls = new CheckedCalls(client, { interrupt: (waits) => pending.push(waits) });
    const run = {};
    expect(await calls.isPending(run, call)).toBe(false);
    await expect(calls.begin(run, call, undefined)).rejects.toThrow(words);
    expect(pending).toEqual([]);
  });

  it('is refused where its check could not be found again', async () => {
    const { client, asked } = service({ allowed: true });
    const calls = new CheckedCalls(client, { interrupt: () => undefined });
    await expect(calls.isPending(undefined, call)).rejects.toThrow('this version of the framework is not known');
    await expect(calls.isPending({}, { toolName: 'refund', input: {} })).rejects.toThrow('is not known');
    expect(asked).toEqual([]);
  });

  it('is checked again if another agent executes it', async () => {
    const { client, asked } = service({ allowed: true });
    let acting = AGENT;
    const calls = new CheckedCalls(client, { interrupt: () => undefined, agentId: () => acting });
    const run = {};
    await calls.isPending(run, call);
    acting = '3c1f7a51-2f0e-4d0a-8f7e-0c9b5a6d1e22';
    await calls.begin(run, call, undefined);
    expect(asked).toHaveLength(2);
  });

  it.each([
    [59_999, 1],
    [60_000, 2],
  ])('is checked again if it is executed late: after %i ms it has %i checks', async (later, checks) => {
    const { client, asked } = service({ allowed: true });
    let now = 5;
    const calls = new CheckedCalls(client, { interrupt: () => undefined }, () => now);
    const run = {};
    await calls.isPending(run, call);
    now += later;
    await calls.begin(run, call, undefined);
    expect(asked).toHaveLength(checks);
  });

  it('is checked for each of two calls that have one id and one input', async () => {
    const { client, asked } = service({ allowed: true }, { allowed: true }, { allowed: false, reason: 'Once.' });
    const calls = new CheckedCalls(client, { interrupt: () => undefined });
    const run = {};
    await Promise.all([calls.isPending(run, call), calls.isPending(run, call)]);
    expect(asked).toHaveLength(2);
    await calls.begin(run, call, undefined);
    await expect(calls.begin(run, call, undefined)).rejects.toThrow('Once.');
    expect(asked).toHaveLength(3);
  });

  it('is not executed by the verdict of an earlier, equal call that was never executed', async () => {
    const { client } = service({ allowed: true }, PENDING, { allowed: false, reason: 'No.' });
    const calls = new CheckedCalls(client, { interrupt: () => undefined });
    const run = {};
    expect(await calls.isPending(run, call)).toBe(false);
    expect(await calls.isPending(run, call)).toBe(true);
    await expect(calls.begin(run, call, undefined)).rejects.toThrow('No.');
  });

  it('is not executed by the verdict of another tool with its id and input', async () => {
    const { client, asked } = service({ allowed: true }, PENDING, { allowed: false, reason: 'A person denied it.' });
    const done: string[] = [];
    interface Made {
      needsApproval(run: unknown, input: unknown, callId: string): Promise<boolean>;
      execute(input: unknown, run: unknown, details: unknown): Promise<unknown>;
    }
    const tool = guardTool(client, (made: Made): Made => made, { interrupt: () => undefined });
    const made = (name: string): Made =>
      tool({ name, execute: () => Promise.resolve(done.push(name)) } as unknown as Made);
    const lookup = made('lookup');
    const destroy = made('delete');
    const run = {};
    // Allowed, but a guardrail of the tool keeps it from being executed.
    expect(await lookup.needsApproval(run, { id: 1 }, 'call_0')).toBe(false);
    expect(await destroy.needsApproval(run, { id: 1 }, 'call_0')).toBe(true);
    const output = await destroy.execute({ id: 1 }, run, { toolCall: { callId: 'call_0' } });
    expect(output).toContain('A person denied it.');
    expect(done).toEqual([]);
    expect(asked).toHaveLength(3);
  });
});
