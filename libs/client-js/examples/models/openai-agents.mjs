import { setTracingDisabled, Usage } from '@openai/agents';

setTracingDisabled(true);

/** Replaces a real model: calls the tool once, then repeats its output. */
export const model = {
  async getResponse({ input }) {
    const last = typeof input === 'string' ? null : input.at(-1);
    const call = {
      type: 'function_call',
      callId: 'call_0',
      name: 'refund',
      status: 'completed',
      arguments: JSON.stringify({ order: '17', usd: 40 }),
    };
    const message = (text) => ({
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text }],
    });
    const said = last?.type === 'function_call_result' ? message(`The tool said: ${last.output.text}`) : call;
    return { usage: new Usage(), output: [said] };
  },
  getStreamedResponse() {
    throw new Error('this one does not stream');
  },
};
