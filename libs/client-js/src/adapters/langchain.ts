import { isAsyncIterable, isDenied, untilItsEnd, type BegunAction, type Guard } from './begun-action.js';
import {
  beginToolCall,
  endToolCall,
  requireToolGuardOptions,
  type ToolCall,
  type ToolGuardOptions,
} from './tool-call.js';

export type { ToolCall, ToolGuardOptions } from './tool-call.js';

/** What is used of a `StructuredTool` of `@langchain/core`. */
interface CallableTool {
  readonly name: string;
  readonly responseFormat?: string;
  readonly call: (this: unknown, ...given: unknown[]) => Promise<unknown>;
  readonly _call: (this: unknown, input: unknown, runManager?: unknown, config?: CallConfig) => unknown;
}

interface CallConfig {
  readonly toolCall?: { readonly id?: string };
  readonly signal?: AbortSignal;
}

/**
 * The same tools, each checked before it is executed, for agents, graphs and `invoke`. What a tool makes of its input comes
 * first: only what would be executed is asked about. A call that may not be executed gives a `ToolMessage` with
 * `status: 'error'`, or a text where the tool was called without a tool call: why, and what to do instead.
 * @param tools made by `tool()`, or of a class that extends `StructuredTool`
 * @throws TypeError for anything else, which could not be guarded
 */
export function guardTools<T extends object>(
  countersign: Guard,
  tools: readonly T[],
  options: ToolGuardOptions = {},
): T[] {
  requireToolGuardOptions(options);
  return tools.map((tool) => guarded(countersign, tool, options));
}

function guarded<T extends object>(countersign: Guard, tool: T, options: ToolGuardOptions): T {
  const { name, call, _call: execute } = tool as Partial<CallableTool>;
  if (typeof name !== 'string' || typeof call !== 'function' || typeof execute !== 'function') {
    throw new TypeError(
      `${name ?? 'what was given'} is no StructuredTool: nothing could be asked before it is executed`,
    );
  }
  // One object for each call, so that a call knows whether it was itself that was denied.
  const guardedCall = async (...given: unknown[]): Promise<unknown> => {
    let wasDenied = false;
    const guardedExecute = async (input: unknown, runManager?: unknown, config?: CallConfig): Promise<unknown> => {
      const toolCallId = config?.toolCall?.id;
      const asked: ToolCall = { toolName: name, input, ...(toolCallId === undefined ? {} : { toolCallId }) };
      let begun: BegunAction;
      try {
        begun = await beginToolCall(countersign, asked, options, config?.signal);
      } catch (error) {
        if (!isDenied(error)) throw error;
        wasDenied = true;
        const withArtifact = (tool as CallableTool).responseFormat === 'content_and_artifact';
        return withArtifact ? [error.message, error.result] : error.message;
      }
      return ended(begun, () => execute.call(tool, input, runManager, config));
    };
    const once: unknown = Object.create(tool, { _call: { value: guardedExecute } });
    const answer = await call.apply(once, given);
    if (wasDenied && isToolMessage(answer)) answer.status = 'error';
    return answer;
  };
  return Object.create(tool, { call: { value: guardedCall } }) as T;
}

/** A generator goes on after it is given back. */
async function ended(begun: BegunAction, execute: () => unknown): Promise<unknown> {
  let value: unknown;
  try {
    value = await execute();
  } catch (error) {
    await begun.failed();
    throw error;
  }
  if (isAsyncIterable(value)) return untilItsEnd(begun, value);
  return endToolCall(begun, () => value);
}

function isToolMessage(value: unknown): value is { status?: 'success' | 'error' } {
  return typeof value === 'object' && value !== null && 'tool_call_id' in value;
}
