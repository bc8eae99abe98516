import { guardTools, type PendingApproval } from '@countersign/client/ai-sdk';
import { generateText, simulateReadableStream, stepCountIs, streamText, tool, type ModelMessage } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { z } from 'zod';
import { ApprovingAccount, REFUND } from './approving-account.js';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** Calls the tools once in parallel, then repeats what they said. */
function scripted(calls: readonly (readonly [string, object])[]): MockLanguageModelV3 {
  const parts = calls.map(([toolName, input], n) => ({
    type: 'tool-call' as const,
    ...{ toolCallId: `call_${n}`, toolName, input: JSON.stringify(input) },
  }));
  return new MockLanguageModelV3({
    doGenerate: ({ prompt }) => {
      const results = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []));
      if (results.length === 0) {
        const finishReason = { unified: 'tool-calls' as const, raw: undefined };
        return Promise.resolve({ content: parts, finishReason, usage, warnings: [] });
      }
      const text = JSON.stringify(results.flatMap((part) => (part.type === 'tool-result' ? [part.output] : [])));
      const finishReason = { unified: 'stop' as const, raw: undefined };
      return Promise.resolve({ content: [{ type: 'text', text }], finishReason, usage, warnings: [] });
    },
    doStream: () => {
      const finish = { type: 'finish', usage, finishReason: { unified: 'tool-calls', raw: undefined } } as const;
      return Promise.resolve({ stream: simulateReadableStream({ chunks: [...parts, finish] }) });
    },
  });
}

describe('a tool call of the AI SDK that waits for a person', () => {
  let account: ApprovingAccount;
  beforeAll(async () => {
    account = await ApprovingAccount.start();
  }, 90_000);
  afterAll(() => account?.discard());

  const setUp = async (expiresSeconds?: number) => {
    const { agentId, countersign } = await account.client(expiresSeconds);
    const pending: PendingApproval[] = [];
    const done: unknown[] = [];
    const refund = tool({
      description: 'Pays back.',
      inputSchema: z.object({ order: z.string(), usd: z.number() }),
      execute: (input) => (done.push(input), 'paid'),
    });
    const lookup = tool({
      description: 'Looks up.',
      inputSchema: z.object({}),
      execute: () => (done.push('lookup'), 'found'),
    });
    // Each run has tools of its own, as in another process.
    const tools = () => guardTools(countersign, { refund, lookup }, { interrupt: (waits) => pending.push(waits) });
    const run = (messages: ModelMessage[], calls: readonly (readonly [string, object])[] = [['refund', REFUND]]) =>
      generateText({ model: scripted(calls), tools: tools(), stopWhen: stepCountIs(5), messages });
    return { agentId, pending, done, tools, run };
  };
  const asked: ModelMessage[] = [{ role: 'user', content: 'Pay it back.' }];
  /** The history of an interrupted run, stored as text, with the answer of its user to each request. */
  const answered = (
    { response, content }: { response: { messages: ModelMessage[] }; content: readonly object[] },
    approved = true,
  ): ModelMessage[] => {
    const requests = content.filter((part) => (part as { type: string }).type === 'tool-approval-request');
    const answers = (requests as { approvalId: string }[]).map(({ approvalId }) => ({
      ...{ type: 'tool-approval-response' as const, approvalId, approved },
    }));
    const stored = JSON.parse(JSON.stringify([...asked, ...response.messages])) as ModelMessage[];
    return [...stored, { role: 'tool', content: answers }];
  };

  it('is a request for an approval, and is executed once after it', async () => {
    const { agentId, pending, done, run } = await setUp();
    const interrupted = await run(asked);
    expect(interrupted.content.map(({ type }) => type)).toEqual(['tool-call', 'tool-approval-request']);
    expect(pending).toEqual([
      {
        approvalId: expect.any(String),
        approvalUrl: expect.stringContaining(pending[0]!.approvalId),
        expiresAt: expect.stringMatching(/^\d{4}-.*Z$/u),
        reason: expect.stringContaining('A person approves refunds.'),
        ...{ toolName: 'refund', toolCallId: 'call_0' },
      },
    ]);
    expect(JSON.stringify(pending)).not.toContain('order-17');
    await account.decide(pending[0]!.approvalId, 'approve');
    const { text } = await run(answered(interrupted));
    expect([text, done, pending.length]).toEqual([expect.stringContaining('paid'), [REFUND], 1]);
    expect(await account.outcomes(agentId)).toEqual(['succeeded']);
  });

  it('is not executed on the answer of the SDK alone', async () => {
    const { agentId, pending, done, run } = await setUp();
    const { text } = await run(answered(await run(asked)));
    expect([text, done]).toEqual([expect.stringContaining('A person approves refunds.'), []]);
    expect(await account.waiting(agentId)).toEqual([pending[0]!.approvalId]);
  });

  it('is not executed after a denial, by the person or in the SDK', async () => {
    const { pending, done, run } = await setUp();
    const interrupted = await run(asked);
    await account.decide(pending[0]!.approvalId, 'deny');
    expect((await run(answered(interrupted))).text).toContain('A person has denied this action.');
    const other = await setUp();
    const also = await other.run(asked);
    await account.decide(other.pending[0]!.approvalId, 'approve');
    expect((await other.run(answered(also, false))).text).toContain('denied');
    expect([...done, ...other.done]).toEqual([]);
  });

  it('is not executed once its request has expired', async () => {
    const { pending, done, run } = await setUp(1);
    const interrupted = await run(asked);
    await account.ended(pending[0]!.approvalId);
    const { text } = await run(answered(interrupted));
    expect([text, done]).toEqual([expect.stringContaining('Not executed'), []]);
  });

  it('keeps no other call of the same step from being executed', async () => {
    const { agentId, pending, done, run } = await setUp();
    const calls = [
      ['lookup', {}],
      ['refund', REFUND],
    ] as const;
    const interrupted = await run(asked, calls);
    expect([done, pending.map(({ toolCallId }) => toolCallId)]).toEqual([['lookup'], ['call_1']]);
    await account.decide(pending[0]!.approvalId, 'approve');
    await run(answered(interrupted), calls);
    expect(done).toEqual(['lookup', REFUND]);
    expect(await account.outcomes(agentId)).toEqual(['succeeded', 'succeeded']);
  });

  it('is a request in a stream as well', async () => {
    const { pending, done, tools } = await setUp();
    const { fullStream } = streamText({ model: scripted([['refund', REFUND]]), tools: tools(), messages: asked });
    const types: string[] = [];
    for await (const { type } of fullStream) types.push(type);
    expect([types.includes('tool-approval-request'), pending.length, done]).toEqual([true, 1, []]);
  });

  it('is judged as before if the tool asks for an approval of its own', async () => {
    const { countersign } = await account.client();
    const done: unknown[] = [];
    const lookup = tool({
      description: 'Looks up.',
      inputSchema: z.object({}),
      needsApproval: true,
      execute: () => (done.push('lookup'), 'found'),
    });
    const tools = guardTools(countersign, { lookup }, { interrupt: () => done.push('interrupt') });
    const run = (messages: ModelMessage[]) =>
      generateText({ model: scripted([['lookup', {}]]), tools, stopWhen: stepCountIs(5), messages });
    const interrupted = await run(asked);
    expect(done).toEqual([]);
    await run(answered(interrupted));
    expect(done).toEqual(['lookup']);
  });
});
