import { guardTool, type PendingApproval } from '@countersign/client/openai-agents';
import type { Model, ModelResponse } from '@openai/agents';
import { Agent, run, RunState, setTracingDisabled, tool as unguarded, Usage } from '@openai/agents';
import { z } from 'zod';
import { eventually } from '../../instance/request.js';
import { ApprovingAccount, REFUND } from './approving-account.js';

type Calls = readonly (readonly [string, object])[];

/** Calls the tools once in parallel, then repeats what they said. */
function scripted(calls: Calls): Model {
  return {
    getResponse: ({ input }): Promise<ModelResponse> => {
      const results = typeof input === 'string' ? [] : input.filter(({ type }) => type === 'function_call_result');
      const usage = new Usage();
      if (results.length === 0) {
        const output = calls.map(([name, given], n) => ({
          type: 'function_call' as const,
          ...{ callId: `call_${n}`, name, arguments: JSON.stringify(given) },
        }));
        return Promise.resolve({ usage, output });
      }
      const text = JSON.stringify(results.map((one) => (one as { output: unknown }).output));
      const content = [{ type: 'output_text' as const, text }];
      return Promise.resolve({ usage, output: [{ type: 'message', role: 'assistant', status: 'completed', content }] });
    },
    getStreamedResponse: () => {
      throw new Error('this one does not stream');
    },
  };
}

describe('a tool call of the OpenAI Agents SDK that waits for a person', () => {
  let account: ApprovingAccount;
  beforeAll(async () => {
    setTracingDisabled(true);
    account = await ApprovingAccount.start();
  }, 90_000);
  afterAll(() => account?.discard());

  const setUp = async ({
    expiresSeconds,
    calls = [['refund', REFUND]],
  }: { expiresSeconds?: number; calls?: Calls } = {}) => {
    const { agentId, countersign } = await account.client(expiresSeconds);
    const pending: PendingApproval[] = [];
    const done: unknown[] = [];
    /** As in another process: a guard and an agent of their own. */
    const clerk = (): Agent => {
      const tool = guardTool(countersign, unguarded, { interrupt: (waits) => pending.push(waits) });
      const refund = tool({
        name: 'refund',
        description: 'Pays back.',
        parameters: z.object({ order: z.string(), usd: z.number(), note: z.string().default('none') }),
        execute: (input) => (done.push(input), 'paid'),
      });
      const lookup = tool({
        name: 'lookup',
        description: 'Looks up.',
        parameters: z.object({}),
        execute: () => (done.push('lookup'), 'found'),
      });
      return new Agent({ name: 'clerk', instructions: '', model: scripted(calls), tools: [refund, lookup] });
    };
    return { agentId, pending, done, clerk };
  };
  const PAID = { ...REFUND, note: 'none' };
  /** The state of a run, stored as text, in which the application has answered each interruption. */
  const restored = async (state: { toString(): string }, agent: Agent, answer: 'approve' | 'reject' | null) => {
    const from = await RunState.fromString(agent, state.toString());
    if (answer !== null) for (const one of from.getInterruptions()) from[answer](one);
    return from;
  };

  /** A decision reaches the gateway a moment after it was made: until then the run is interrupted again. */
  const untilEnded = (state: { toString(): string }, agentOf: () => Agent, answer: 'approve' | 'reject' | null) =>
    eventually('the run ends', 30, async () => {
      const agent = agentOf();
      const { finalOutput } = await run(agent, await restored(state, agent, answer));
      return typeof finalOutput === 'string' ? finalOutput : null;
    });

  it('interrupts the run, and is executed once after the approval', async () => {
    const { agentId, pending, done, clerk } = await setUp();
    const interrupted = await run(clerk(), 'Pay it back.');
    expect(interrupted.interruptions.map(({ rawItem }) => (rawItem as { callId?: string }).callId)).toEqual(['call_0']);
    expect(pending).toMatchObject([{ toolName: 'refund', toolCallId: 'call_0' }]);
    expect(JSON.stringify(pending)).not.toContain('order-17');
    await account.decide(pending[0]!.approvalId, 'approve');
    const agent = clerk();
    const { finalOutput } = await run(agent, await restored(interrupted.state, agent, 'approve'));
    expect([finalOutput, done]).toEqual([expect.stringContaining('paid'), [PAID]]);
    expect(await account.outcomes(agentId)).toEqual(['succeeded']);
  });

  it('needs no answer of the SDK after the approval', async () => {
    const { agentId, pending, done, clerk } = await setUp();
    const { state } = await run(clerk(), 'Pay it back.');
    const agent = clerk();
    const again = await run(agent, await restored(state, agent, null));
    expect([again.interruptions.length, done]).toEqual([1, []]);
    expect(new Set(pending.map(({ approvalId }) => approvalId)).size).toBe(1);
    await account.decide(pending[0]!.approvalId, 'approve');
    const finalOutput = await untilEnded(again.state, clerk, null);
    expect([finalOutput, done]).toEqual([expect.stringContaining('paid'), [PAID]]);
    expect(await account.outcomes(agentId)).toEqual(['succeeded']);
  });

  it('is not executed on the answer of the SDK alone', async () => {
    const { agentId, pending, done, clerk } = await setUp();
    const { state } = await run(clerk(), 'Pay it back.');
    const agent = clerk();
    const { finalOutput } = await run(agent, await restored(state, agent, 'approve'));
    expect([finalOutput, done]).toEqual([expect.stringContaining('A person approves refunds.'), []]);
    expect(await account.waiting(agentId)).toEqual([pending[0]!.approvalId]);
  });

  it.each(['approve', 'reject', null] as const)('is not executed after a denial (%s in the SDK)', async (answer) => {
    const { pending, done, clerk } = await setUp();
    const { state } = await run(clerk(), 'Pay it back.');
    await account.decide(pending[0]!.approvalId, 'deny');
    const finalOutput = await untilEnded(state, clerk, answer);
    const words = answer === 'reject' ? 'not approved' : 'A person has denied this action.';
    expect([finalOutput, done]).toEqual([expect.stringContaining(words), []]);
  });

  it('is not executed once its request has expired', async () => {
    const { pending, done, clerk } = await setUp({ expiresSeconds: 1 });
    const { state } = await run(clerk(), 'Pay it back.');
    await account.ended(pending[0]!.approvalId);
    const agent = clerk();
    const { finalOutput } = await run(agent, await restored(state, agent, 'approve'));
    expect([finalOutput, done]).toEqual([expect.stringContaining('Not executed'), []]);
  });

  it('keeps no other call of the same turn from being executed', async () => {
    const calls: Calls = [
      ['lookup', {}],
      ['refund', REFUND],
    ];
    const { agentId, pending, done, clerk } = await setUp({ calls });
    const { state } = await run(clerk(), 'Pay it back.');
    expect([done, pending.map(({ toolCallId }) => toolCallId)]).toEqual([['lookup'], ['call_1']]);
    await account.decide(pending[0]!.approvalId, 'approve');
    const agent = clerk();
    await run(agent, await restored(state, agent, 'approve'));
    expect(done).toEqual(['lookup', PAID]);
    expect(await account.outcomes(agentId)).toEqual(['succeeded', 'succeeded']);
  });

  it('interrupts the run of the agent whose tool its agent is', async () => {
    const { pending, done, clerk } = await setUp();
    const manager = (): Agent =>
      new Agent({
        name: 'manager',
        instructions: '',
        model: scripted([['ask_clerk', { input: 'Pay it back.' }]]),
        tools: [clerk().asTool({ toolName: 'ask_clerk', toolDescription: 'Asks the clerk.' })],
      });
    const { state, interruptions } = await run(manager(), 'Pay it back.');
    expect([interruptions.length, done]).toEqual([1, []]);
    await account.decide(pending[0]!.approvalId, 'approve');
    const agent = manager();
    const { finalOutput } = await run(agent, await restored(state, agent, 'approve'));
    expect([finalOutput, done]).toEqual([expect.stringContaining('paid'), [PAID]]);
  });
});
