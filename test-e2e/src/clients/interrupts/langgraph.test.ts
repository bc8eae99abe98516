import { guardTools, type PendingApproval } from '@countersign/client/langchain';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, HumanMessage, type BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { eventually } from '../../instance/request.js';
import { ApprovingAccount, REFUND } from './approving-account.js';

/** The used part of LangGraph, which is loaded by name: a checkout in which it is not installed yet still compiles. */
interface LangGraph {
  readonly interrupt: (value: unknown) => unknown;
  readonly Command: new (given: { resume: unknown }) => object;
  readonly MemorySaver: new () => object;
}
interface Prebuilt {
  readonly createReactAgent: (given: object) => Graph;
}
interface Graph {
  readonly invoke: (input: object, config: object) => Promise<State>;
}
interface State {
  readonly messages: readonly BaseMessage[];
  readonly __interrupt__?: readonly { readonly id: string; readonly value: unknown }[];
}
const [GRAPH, PREBUILT]: readonly string[] = ['@langchain/langgraph', '@langchain/langgraph/prebuilt'];

type Calls = readonly (readonly [string, object])[];

// The names of the framework.
/* eslint-disable @typescript-eslint/naming-convention */
/** Calls the tools once in parallel, then repeats what they said. */
class Scripted extends BaseChatModel {
  constructor(private readonly calls: Calls) {
    super({});
  }

  _llmType(): string {
    return 'scripted';
  }

  override bindTools(): this {
    return this;
  }

  _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const said = messages.filter((one) => one.getType() === 'tool').map((one) => one.text);
    const calls = this.calls.map(([name, args], n) => ({ type: 'tool_call' as const, id: `call_${n}`, name, args }));
    const message =
      said.length === 0 ? new AIMessage({ content: '', tool_calls: calls }) : new AIMessage(said.join(' | '));
    return Promise.resolve({ generations: [{ text: message.text, message }] });
  }
}
/* eslint-enable @typescript-eslint/naming-convention */

describe('a tool call of a LangGraph agent that waits for a person', () => {
  let account: ApprovingAccount;
  let graph: LangGraph & Prebuilt;
  beforeAll(async () => {
    account = await ApprovingAccount.start();
    graph = { ...((await import(GRAPH!)) as LangGraph), ...((await import(PREBUILT!)) as Prebuilt) };
  }, 90_000);
  afterAll(() => account?.discard());

  const setUp = async ({
    expiresSeconds,
    calls = [['refund', REFUND]],
  }: { expiresSeconds?: number; calls?: Calls } = {}) => {
    const { agentId, countersign } = await account.client(expiresSeconds);
    const done: unknown[] = [];
    const checkpointer = new graph.MemorySaver();
    const [refund, lookup] = guardTools(
      countersign,
      [
        tool((input: unknown) => (done.push(input), 'paid'), {
          name: 'refund',
          description: 'Pays back.',
          schema: z.object({ order: z.string(), usd: z.number() }),
        }),
        tool(() => (done.push('lookup'), 'found'), { name: 'lookup', description: 'Looks up.', schema: z.object({}) }),
      ],
      { interrupt: graph.interrupt },
    );
    /** Each graph is a new one, as in another process: only the checkpoints, which are stored as bytes, last. */
    const agent = (tools: readonly unknown[] = [refund, lookup], by = calls): Graph =>
      graph.createReactAgent({ llm: new Scripted(by), tools, checkpointer, version: 'v2' });
    const config = { configurable: { thread_id: 'one' } };
    const begin = (by = agent()) => by.invoke({ messages: [new HumanMessage('Pay it back.')] }, config);
    const resume = (by = agent()) => by.invoke(new graph.Command({ resume: 'go on' }), config);
    return { agentId, done, agent, begin, resume, checkpointer, tools: [refund, lookup] };
  };
  const waits = ({ __interrupt__: all = [] }: State): readonly PendingApproval[] =>
    all.map(({ value }) => value as PendingApproval);
  const answer = ({ messages }: State): string => messages.at(-1)!.text;

  it('interrupts the graph, and is executed once after the approval', async () => {
    const { agentId, done, begin, resume } = await setUp();
    const interrupted = await begin();
    const [pending] = waits(interrupted);
    expect(pending).toEqual({
      approvalId: expect.any(String),
      approvalUrl: expect.stringContaining(pending!.approvalId),
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/u),
      reason: expect.stringContaining('A person approves refunds.'),
      ...{ toolName: 'refund', toolCallId: 'call_0' },
    });
    await account.decide(pending!.approvalId, 'approve');
    expect([answer(await resume()), done]).toEqual(['paid', [REFUND]]);
    expect(await account.outcomes(agentId)).toEqual(['succeeded']);
  });

  it('interrupts it again, each time that it is resumed without a decision', async () => {
    const { done, begin, resume } = await setUp();
    const first = waits(await begin());
    for (let times = 0; times < 2; times++) expect(waits(await resume())).toEqual(first);
    expect(done).toEqual([]);
    await account.decide(first[0]!.approvalId, 'approve');
    expect([answer(await resume()), done]).toEqual(['paid', [REFUND]]);
  });

  it('is not executed after a denial', async () => {
    const { done, begin, resume } = await setUp();
    await account.decide(waits(await begin())[0]!.approvalId, 'deny');
    expect([answer(await resume()), done]).toEqual([expect.stringContaining('A person has denied this action.'), []]);
  });

  it('is not executed once its request has expired, and asks for another', async () => {
    const { done, begin, resume } = await setUp({ expiresSeconds: 1 });
    const [pending] = waits(await begin());
    await account.ended(pending!.approvalId);
    const after = await resume();
    const said = answer(after);
    expect([waits(after)[0]?.approvalId === pending!.approvalId, done, said.includes('paid')]).toEqual([
      false,
      [],
      false,
    ]);
  });

  it('keeps no other call of the same step from being executed once', async () => {
    const calls: Calls = [
      ['lookup', {}],
      ['refund', REFUND],
    ];
    const { agentId, done, begin, resume } = await setUp({ calls });
    const [pending] = waits(await begin());
    expect([pending?.toolCallId, done]).toEqual(['call_1', ['lookup']]);
    await account.decide(pending!.approvalId, 'approve');
    expect([answer(await resume()), done]).toEqual(['found | paid', ['lookup', REFUND]]);
    expect(await account.outcomes(agentId)).toEqual(['succeeded', 'succeeded']);
  });

  it('interrupts each of two calls, which are decided one by one', async () => {
    const other = { order: 'order-18', usd: 3 };
    const calls: Calls = [
      ['refund', REFUND],
      ['refund', other],
    ];
    const { done, begin, agent } = await setUp({ calls });
    const interrupted = await begin();
    expect(waits(interrupted).map(({ toolCallId }) => toolCallId)).toEqual(['call_0', 'call_1']);
    const ids = (interrupted.__interrupt__ ?? []).map(({ id }) => id);
    await account.decide(waits(interrupted)[0]!.approvalId, 'approve');
    const resume = { [ids[0]!]: true, [ids[1]!]: true };
    const config = { configurable: { thread_id: 'one' } };
    const again = await agent().invoke(new graph.Command({ resume }), config);
    expect([waits(again).map(({ toolCallId }) => toolCallId), done]).toEqual([['call_1'], [REFUND]]);
    await account.decide(waits(again)[0]!.approvalId, 'deny');
    const ended = await agent().invoke(new graph.Command({ resume: true }), config);
    expect([answer(ended), done]).toEqual([expect.stringMatching(/^paid \| Not executed/u), [REFUND]]);
  });

  it('interrupts the graph of the agent whose tool its agent is', async () => {
    const { done, agent, begin, resume, tools } = await setUp();
    const clerk = graph.createReactAgent({ llm: new Scripted([['refund', REFUND]]), tools });
    const ask = tool(async () => answer(await clerk.invoke({ messages: [new HumanMessage('Pay.')] }, {})), {
      name: 'ask_clerk',
      description: 'Asks the clerk.',
      schema: z.object({}),
    });
    const manager = () => agent([ask], [['ask_clerk', {}]]);
    const [pending] = waits(await begin(manager()));
    expect([pending?.toolName, done]).toEqual(['refund', []]);
    await account.decide(pending!.approvalId, 'approve');
    expect([answer(await resume(manager())), done]).toEqual(['paid', [REFUND]]);
  });

  it('refuses a function that does not interrupt', async () => {
    const { countersign } = await account.client();
    const given = tool(() => 'paid', { name: 'refund', description: 'Pays back.', schema: z.object({}) });
    const [refund] = guardTools(countersign, [given], { interrupt: () => undefined });
    await expect(refund!.invoke({})).rejects.toThrow('that of LangGraph');
    expect(() => guardTools(countersign, [given], { interrupt: true as never })).toThrow('interrupt: a function');
  });

  it('is checked again with its whole node where that has several calls: LangGraph repeats each of them', async () => {
    const calls: Calls = [
      ['lookup', {}],
      ['refund', REFUND],
    ];
    const { done, begin, resume, tools, checkpointer } = await setUp();
    const agent = () => graph.createReactAgent({ llm: new Scripted(calls), tools, checkpointer, version: 'v1' });
    const [pending] = waits(await begin(agent()));
    await account.decide(pending!.approvalId, 'approve');
    expect([answer(await resume(agent())), done]).toEqual(['found | paid', ['lookup', 'lookup', REFUND]]);
  });

  it('waits for a decision that reaches the gateway later', async () => {
    const { done, begin, resume } = await setUp();
    const [pending] = waits(await begin());
    const decided = eventually('the approval is decided', 30, () =>
      account.decide(pending!.approvalId, 'approve').then(() => true),
    );
    const after = await resume();
    await decided;
    if (waits(after).length > 0) await resume();
    expect(done).toEqual([REFUND]);
  });
});
