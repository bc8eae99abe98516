import { isAsyncIterable, untilItsEnd, type Guard } from './begun-action.js';
import {
  beginToolCall,
  endToolCall,
  requireToolGuardOptions,
  type ToolCall,
  type ToolGuardOptions,
} from './tool-call.js';

export type { ToolCall, ToolGuardOptions } from './tool-call.js';

export interface ToolSetGuardOptions extends ToolGuardOptions {
  /**
   * Names of tools without `execute`, which run in the user's browser or at the model's provider. They cannot be checked here,
   * so each has to be named, or `guardTools` throws.
   */
  readonly elsewhere?: readonly string[];
}

/** The used part of a tool of `ai`, version 5 and later. */
interface ExecutableTool {
  readonly execute?: (input: unknown, call: ToolCallContext) => unknown;
}

interface ToolCallContext {
  readonly toolCallId?: string;
  readonly abortSignal?: AbortSignal;
}

/**
 * Wraps tools so that each call is checked before it is executed, for `generateText`, `streamText` and agents of the Vercel AI
 * SDK. A denied call throws an `ActionDeniedError`, which the SDK passes to the model as a `tool-error` with the reason and what
 * to do instead. A tool that is an async generator streams as before.
 * @throws TypeError if a tool has no `execute` and is not named in `elsewhere`
 */
export function guardTools<T extends object>(countersign: Guard, tools: T, options: ToolSetGuardOptions = {}): T {
  requireToolGuardOptions(options, ['elsewhere']);
  const { elsewhere = [] } = options;
  const guarded = Object.entries(tools as Readonly<Record<string, ExecutableTool>>).map(([toolName, tool]) => {
    if (typeof tool.execute === 'function') {
      return [toolName, { ...tool, execute: guardedExecute(countersign, toolName, tool, options) }];
    }
    if (elsewhere.includes(toolName)) return [toolName, tool];
    throw new TypeError(
      `the tool ${toolName} has no execute, so nothing would be asked before it runs: guard it where it runs, and name it in elsewhere`,
    );
  });
  return Object.fromEntries(guarded) as T;
}

function guardedExecute(
  countersign: Guard,
  toolName: string,
  tool: ExecutableTool,
  options: ToolGuardOptions,
): NonNullable<ExecutableTool['execute']> {
  const begin = (input: unknown, { toolCallId, abortSignal }: ToolCallContext) => {
    const call: ToolCall = { toolName, input, ...(toolCallId === undefined ? {} : { toolCallId }) };
    return beginToolCall(countersign, call, options, abortSignal);
  };
  const execute = (input: unknown, context: ToolCallContext): unknown => tool.execute?.(input, context);
  if (isAsyncGeneratorFunction(tool.execute)) {
    return async function* (input, context = {}) {
      const begun = await begin(input, context);
      yield* untilItsEnd(begun, execute(input, context) as AsyncIterable<unknown>);
    };
  }
  return async (input, context = {}) => {
    const begun = await begin(input, context);
    // Too late to stream: if the result comes in pieces, the last one is the output.
    return endToolCall(begun, async () => lastOf(await execute(input, context)));
  };
}

async function lastOf(value: unknown): Promise<unknown> {
  if (!isAsyncIterable(value)) return value;
  let last: unknown;
  for await (const piece of value) last = piece;
  return last;
}

function isAsyncGeneratorFunction(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object AsyncGeneratorFunction]';
}
