import { MockLanguageModelV3 } from 'ai/test';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** Replaces a real model: calls the tool once, then repeats its output. */
export const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const last = prompt.at(-1);
    if (last.role === 'tool') {
      const text = `The tool said: ${last.content[0].output.value}`;
      return { content: [{ type: 'text', text }], finishReason: { unified: 'stop' }, usage, warnings: [] };
    }
    const input = JSON.stringify({ order: '17', usd: 40 });
    const call = { type: 'tool-call', toolCallId: 'call_0', toolName: 'refund', input };
    return { content: [call], finishReason: { unified: 'tool-calls' }, usage, warnings: [] };
  },
});
