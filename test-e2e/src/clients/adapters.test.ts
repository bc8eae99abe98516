import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Countersign } from '@countersign/client';
import { guardTools as guardAiTools } from '@countersign/client/ai-sdk';
import { guardTools as guardLangChainTools } from '@countersign/client/langchain';
import { guardTool as guardAgentsTool } from '@countersign/client/openai-agents';
import { tool as langChainTool } from '@langchain/core/tools';
import type { Model, ModelResponse } from '@openai/agents';
import { Agent, run as runAgent, RunContext, setTracingDisabled, tool as agentsTool, Usage } from '@openai/agents';
import { simulateReadableStream, stepCountIs, streamText, tool as aiTool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { z } from 'zod';
import { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';

const run = promisify(execFile);
const PACKAGE = fileURLToPath(new URL('../../../libs/client-js/', import.meta.url));
const EXAMPLES = readdirSync(join(PACKAGE, 'examples')).filter((name) => name.endsWith('.mjs'));
/** Examples whose frameworks are too heavy to be installed here: the tests of their adapters call these as they do. */
const ELSEWHERE = ['claude-agent-sdk.mjs', 'mastra.mjs'];
/** Runs until a person has decided: `interrupts/example.test.ts`. */
const WAITING = ['openai-agents-interrupt.mjs'];
/** An address without a server. */
const NOWHERE = 'http://127.0.0.1:9';

describe('the adapters of the JavaScript client, with the frameworks themselves', () => {
  let instance: Instance;
  let headers: Record<string, string>;
  beforeAll(async () => {
    instance = await Instance.start();
    headers = await instance.session();
  }, 90_000);
  afterAll(() => instance?.discard());

  const outcomesOf = async (agentId: string): Promise<unknown[]> => {
    const path = `/v1/events?agentId=${agentId}&type=action.outcome`;
    const { json } = await instance.request('GET', path, { headers });
    return (json as { events: { outcome: string }[] }).events.map(({ outcome }) => outcome);
  };
  const newClient = async (profile?: object): Promise<{ agentId: string; countersign: Countersign }> => {
    const agentId = await newAgent(instance, headers, profile);
    const { apiKey, baseUrl } = instance.bootstrap;
    return { agentId, countersign: new Countersign({ apiKey, agentId, baseUrl }) };
  };

  describe('each example', () => {
    const said = async (name: string, agentId: string, baseUrl = instance.bootstrap.baseUrl): Promise<string> => {
      const { stdout } = await run(process.execPath, [join(PACKAGE, 'examples', name)], {
        env: {
          PATH: process.env['PATH'],
          COUNTERSIGN_API_KEY: instance.bootstrap.apiKey,
          COUNTERSIGN_AGENT_ID: agentId,
          COUNTERSIGN_BASE_URL: baseUrl,
        },
      });
      return stdout;
    };
    const isHttp = (name: string): boolean => ['express.mjs', 'fastify.mjs'].includes(name);

    it.each(EXAMPLES.filter((name) => ![...ELSEWHERE, ...WAITING].includes(name)))(
      '%s executes allowed actions, and neither denied nor undecided ones',
      async (name) => {
        const [free, bound] = [await newClient(), await newClient({ spending_limit: 10 })];
        const [allowed, denied, undecided] = await Promise.all([
          said(name, free.agentId),
          said(name, bound.agentId),
          said(name, free.agentId, NOWHERE),
        ]);
        expect(allowed).toMatch(
          isHttp(name) ? /^200 \{"paid":40\}\n$/u : /^The tool said.*: paid 40 USD back for 17\n$/u,
        );
        expect(denied).toMatch(
          isHttp(name) ? /^403 \{"allowed":false,"reason":".*spending/u : /: Not executed: .*spending/u,
        );
        expect(undecided).toMatch(isHttp(name) ? /^503 \{"allowed":false,/u : /: Not executed: nobody decided/u);
        expect([await outcomesOf(free.agentId), await outcomesOf(bound.agentId)]).toEqual([['succeeded'], []]);
      },
    );

    it.each(EXAMPLES)('%s is the example of the README', (name) => {
      const code = readFileSync(join(PACKAGE, 'examples', name), 'utf8');
      expect(readFileSync(join(PACKAGE, 'README.md'), 'utf8')).toContain(`\`\`\`js\n${code}\`\`\``);
    });
  });

  describe('a tool that fails is reported as failed', () => {
    const fails = (): never => {
      throw new Error('the till is empty');
    };
    const fields = { name: 'refund', description: 'Pays back.' };

    it('in LangChain', async () => {
      const { agentId, countersign } = await newClient();
      const made = langChainTool(fails, { ...fields, schema: z.object({}) });
      const [refund] = guardLangChainTools(countersign, [made]);
      await expect(refund?.invoke({ type: 'tool_call', id: 'call_0', name: 'refund', args: {} })).rejects.toThrow(
        'till',
      );
      expect(await outcomesOf(agentId)).toEqual(['failed']);
    });

    it('in LangChain, if its stream ends early', async () => {
      const { agentId, countersign } = await newClient();
      const paying = async function* (): AsyncGenerator<string, string> {
        yield 'counting';
        return fails();
      };
      const made = langChainTool(paying, { ...fields, schema: z.object({}) });
      const [refund] = guardLangChainTools(countersign, [made]);
      await expect(refund?.invoke({})).rejects.toThrow('till');
      expect(await outcomesOf(agentId)).toEqual(['failed']);
    });

    it('in OpenAI Agents, which passes the error to the model', async () => {
      setTracingDisabled(true);
      const { agentId, countersign } = await newClient();
      const tool = guardAgentsTool(countersign, agentsTool);
      const outputs: unknown[] = [];
      const answer = (output: ModelResponse['output'][number]): Promise<ModelResponse> =>
        Promise.resolve({ usage: new Usage(), output: [output] });
      const model: Model = {
        getResponse: ({ input }) => {
          const last = typeof input === 'string' ? undefined : input.at(-1);
          if (last?.type !== 'function_call_result') {
            return answer({ type: 'function_call', callId: 'call_0', name: 'refund', arguments: '{}' });
          }
          outputs.push(last.output);
          const content = [{ type: 'output_text' as const, text: 'sorry' }];
          return answer({ type: 'message', role: 'assistant', status: 'completed', content });
        },
        getStreamedResponse: fails,
      };
      const refund = tool({ ...fields, parameters: z.object({}), execute: fails });
      await runAgent(new Agent({ name: 'one', instructions: '', model, tools: [refund] }), 'pay');
      expect([outputs, await outcomesOf(agentId)]).toEqual([
        [{ type: 'text', text: expect.stringContaining('error occurred') }],
        ['failed'],
      ]);
    });
  });

  it('a tool is checked by the name that the model uses for it', async () => {
    const { countersign } = await newClient({ blocked_apis: ['refund_order'] });
    const names: string[] = [];
    const options = { action: ({ toolName }: { toolName: string }) => (names.push(toolName), {}) };
    const refund = guardAgentsTool(
      countersign,
      agentsTool,
      options,
    )({ name: 'refund order', description: 'Pays back.', parameters: z.object({}), execute: () => 'paid' });
    const output: unknown = await refund.invoke(new RunContext(), '{}');
    expect([refund.name, names, output]).toEqual([
      'refund_order',
      ['refund_order'],
      expect.stringMatching(/^Not executed/u),
    ]);
  });

  it('a denial is a text without a tool call, and a message with its check as artifact with one', async () => {
    const { countersign } = await newClient({ blocked_apis: ['refund'] });
    const make = (responseFormat: 'content' | 'content_and_artifact') =>
      langChainTool(() => ['paid', 1], {
        name: 'refund',
        description: 'Pays back.',
        schema: z.object({}),
        responseFormat,
      });
    const [plain, withArtifact] = guardLangChainTools(countersign, [make('content'), make('content_and_artifact')]);
    expect(await plain?.invoke({})).toMatch(/^Not executed: this call of refund was denied/u);
    const message = await withArtifact?.invoke({ type: 'tool_call', id: 'call_0', name: 'refund', args: {} });
    expect(message).toMatchObject({ status: 'error', tool_call_id: 'call_0', artifact: { allowed: false } });
  });

  describe('the AI SDK', () => {
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    const model = (): MockLanguageModelV3 => {
      let asked = 0;
      return new MockLanguageModelV3({
        doStream: () => {
          asked += 1;
          const call = { type: 'tool-call', toolCallId: 'call_0', toolName: 'refund', input: '{"usd":40}' } as const;
          const unified = asked === 1 ? 'tool-calls' : 'stop';
          const finish = { type: 'finish', usage, finishReason: { unified, raw: undefined } } as const;
          return Promise.resolve({
            stream: simulateReadableStream({ chunks: asked === 1 ? [call, finish] : [finish] }),
          });
        },
      });
    };
    const inputSchema = z.object({ usd: z.number() });
    const streamed = async (countersign: Countersign, execute: () => AsyncIterable<string>): Promise<unknown[]> => {
      const refund = aiTool({ description: 'Pays back.', inputSchema, execute });
      const tools = guardAiTools(countersign, { refund });
      const { fullStream } = streamText({ model: model(), tools, stopWhen: stepCountIs(2), prompt: 'pay' });
      const parts: unknown[] = [];
      for await (const part of fullStream) {
        if (part.type === 'tool-result') parts.push([part.preliminary === true, part.output]);
        if (part.type === 'tool-error') parts.push((part.error as Error).message);
      }
      return parts;
    };

    it('streams the output of a tool, and reports it at its end', async () => {
      const { agentId, countersign } = await newClient();
      const parts = await streamed(countersign, async function* () {
        yield 'counting';
        yield 'paid';
      });
      expect(parts).toEqual([
        [true, 'counting'],
        [true, 'paid'],
        [false, 'paid'],
      ]);
      expect(await outcomesOf(agentId)).toEqual(['succeeded']);
    });

    it('reports an interrupted one as failed, and starts no denied one', async () => {
      const { agentId, countersign } = await newClient();
      const broken = async function* (): AsyncGenerator<string> {
        yield 'counting';
        throw new Error('the till is empty');
      };
      expect(await streamed(countersign, broken)).toEqual([[true, 'counting'], 'the till is empty']);
      expect(await outcomesOf(agentId)).toEqual(['failed']);
      const bound = await newClient({ blocked_apis: ['refund'] });
      expect(await streamed(bound.countersign, broken)).toEqual([expect.stringContaining('Not executed')]);
      expect(await outcomesOf(bound.agentId)).toEqual([]);
    });
  });
});
