import { isDenied, type BegunAction, type Guard } from './begun-action.js';
import {
  beginToolCall,
  endToolCall,
  requireToolGuardOptions,
  type ToolCall,
  type ToolGuardOptions,
} from './tool-call.js';

export type { ToolCall, ToolGuardOptions } from './tool-call.js';

/** What is used of what `tool` of `@openai/agents` takes. */
interface ToolDefinition {
  readonly name?: string;
  readonly outputSchema?: unknown;
  readonly errorFunction?: unknown;
  readonly execute: (input: unknown, context?: unknown, details?: ToolCallDetails) => unknown;
}

interface ToolCallDetails {
  readonly toolCall?: { readonly callId?: string };
  readonly signal?: AbortSignal;
}

/**
 * `tool` of the OpenAI Agents SDK, whose tools are checked before they are executed. A call that may not be executed gives
 * the model a text as the tool's output: why, and what to do instead. Wrapping `tool` and not what it makes is what shows
 * a failed execution as failed: what it makes turns an error into an output. Where a tool has an `outputSchema`, which a
 * text does not fulfil, a denial is thrown, as an `ActionDeniedError`, to the `errorFunction` of the tool.
 * @param tool the function of that name of `@openai/agents`; what is given back is used in its place, and throws a TypeError
 * where a tool has an `outputSchema` and no `errorFunction`
 */
export function guardTool<F extends (definition: never) => unknown>(
  countersign: Guard,
  tool: F,
  options: ToolGuardOptions = {},
): F {
  requireToolGuardOptions(options);
  const guarded = (definition: ToolDefinition): unknown => {
    const given = definition.name ?? definition.execute.name;
    let toolName = given;
    const isStructured = definition.outputSchema !== undefined;
    if (isStructured && typeof definition.errorFunction !== 'function') {
      throw new TypeError(
        `the tool ${toolName} has an outputSchema: give an errorFunction, which makes an output of a denial`,
      );
    }
    const guardedDefinition: ToolDefinition = {
      ...definition,
      name: given,
      execute: async (input, context, details) => {
        const toolCallId = details?.toolCall?.callId;
        const call: ToolCall = { toolName, input, ...(toolCallId === undefined ? {} : { toolCallId }) };
        let begun: BegunAction;
        try {
          begun = await beginToolCall(countersign, call, options, details?.signal);
        } catch (error) {
          if (isDenied(error) && !isStructured) return error.message;
          throw error;
        }
        return endToolCall(begun, () => definition.execute(input, context, details));
      },
    };
    const made = tool(guardedDefinition as never);
    // The model knows it by the name that the SDK made of the given one, such as refund_order of "refund order".
    const { name } = (made ?? {}) as { readonly name?: unknown };
    if (typeof name === 'string' && name !== '') toolName = name;
    return made;
  };
  return guarded as unknown as F;
}
