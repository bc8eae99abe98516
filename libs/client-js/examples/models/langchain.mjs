import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';

/** Replaces a real model: calls the tool once, then repeats its output. */
class ScriptedModel extends BaseChatModel {
  _llmType() {
    return 'scripted';
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const last = messages.at(-1);
    const call = { type: 'tool_call', id: 'call_0', name: 'refund', args: { order: '17', usd: 40 } };
    const message =
      last.getType() === 'tool'
        ? new AIMessage(`The tool said (${last.status}): ${last.text}`)
        : new AIMessage({ content: '', tool_calls: [call] });
    return { generations: [{ text: message.text, message }] };
  }
}

export const model = new ScriptedModel({});
