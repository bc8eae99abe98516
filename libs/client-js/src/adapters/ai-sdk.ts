import { requireFunctions } from '../check-options.js';
import { isAsyncIterable, untilItsEnd, type BegunAction, type Guard } from './begun-action.js';
import { CheckedCalls, type InterruptOptions } from './interrupt.js';
import { beginToolCall, endToolCall, requireToolGuardOptions, type ToolCall } from './tool-call.js';

export type { InterruptOptions, PendingApproval } from './interrupt.js';
export type { ToolCall, ToolGuardOptions } from './tool-call.js';

export interface ToolSetGuardOptions extends InterruptOptions {
  /**
   * Names of tools without `execute`, which run in the user's browser or at the model's provider. They cannot be checked here,
   * so each has to be named, or `guardTools` throws.
   */
  readonly elsewhere?: readonly string[];
}

/** The used part of a tool of `ai`, version 5 and later. */
interface ExecutableTool {
  readonly execute?: (input: unknown, call: ToolCallContext) => unknown;
  readonly needsApproval?: boolean | NeedsApproval;
}

type NeedsApproval = (input: unknown, call: ToolCallContext) => boolean | PromiseLike<boolean>;

interface ToolCallContext {
  readonly toolCallId?: string;
  /** Of the model; the same list where a call is judged and where it is executed. */
  readonly messages?: readonly unknown[];
  readonly abortSignal?: AbortSignal;
}

/**
 * Wraps tools so that each call is checked before it is executed, for `generateText`, `streamText` and agents of the Vercel AI
 * SDK. A denied call throws an `ActionDeniedError`, which the SDK passes to the model as a `tool-error` with the reason and what
 * to do instead. A tool that is an async generator streams as before.
 *
 * With the option `interrupt`, a call that a person has to approve is a `tool-approval-request`, as of a tool with
 * `needsApproval`. Answer it with a `tool-approval-response` once the person has decided.
 * @throws TypeError if a tool has no `execute` and is not named in `elsewhere`
 */
export function guardTools<T extends object>(countersign: Guard, tools: T, options: ToolSetGuardOptions = {}): T {
  requireToolGuardOptions(options, ['elsewhere', 'interrupt']);
  requireFunctions({ ...options }, ['interrupt']);
  const { elsewhere = [] } = options;
  const guarded = Object.entries(tools as Readonly<Record<string, ExecutableTool>>).map(([toolName, tool]) => {
    if (typeof tool.execute === 'function') {
      return [toolName, { ...tool, ...guardedMembers(countersign, toolName, tool, options) }];
    }
    if (elsewhere.includes(toolName)) return [toolName, tool];
    throw new TypeError(
      `the tool ${toolName} has no execute, so nothing would be asked before it runs: guard it where it runs, and name it in elsewhere`,
    );
  });
  return Object.fromEntries(guarded) as T;
}

function guardedMembers(
  countersign: Guard,
  toolName: string,
  tool: ExecutableTool,
  options: InterruptOptions,
): ExecutableTool {
  const callOf = (input: unknown, { toolCallId }: ToolCallContext): ToolCall => ({
    toolName,
    input,
    ...(toolCallId === undefined ? {} : { toolCallId }),
  });
  if (options.interrupt === undefined) {
    const begin: Begin = (input, context) =>
      beginToolCall(countersign, callOf(input, context), options, context.abortSignal);
    return { execute: guardedExecute(tool, begin) };
  }
  const checked = new CheckedCalls(countersign, options);
  const { needsApproval: own = false } = tool;
  return {
    execute: guardedExecute(tool, (input, context) =>
      checked.begin(context.messages, callOf(input, context), context.abortSignal),
    ),
    needsApproval: async (input, context) => {
      if (typeof own === 'function' ? await own(input, context) : own) return true;
      // Where the SDK verifies an answer that it was given, only the execution is still to be checked.
      return isAnswered(context) || checked.isPending(context.messages, callOf(input, context));
    },
  };
}

type Begin = (input: unknown, context: ToolCallContext) => Promise<BegunAction>;

/** The last message answers a request for an approval of this call. */
function isAnswered({ toolCallId, messages = [] }: ToolCallContext): boolean {
  const parts = messages.flatMap((message) => partsOf(message));
  const asked = new Set(
    parts
      .filter((part) => part['type'] === 'tool-approval-request' && part['toolCallId'] === toolCallId)
      .map((part) => part['approvalId']),
  );
  return partsOf(messages.at(-1)).some(
    (part) => part['type'] === 'tool-approval-response' && asked.has(part['approvalId']),
  );
}

function partsOf(message: unknown): readonly Readonly<Record<string, unknown>>[] {
  const { content } = (message ?? {}) as { readonly content?: unknown };
  return Array.isArray(content) ? (content as Readonly<Record<string, unknown>>[]) : [];
}

function guardedExecute(tool: ExecutableTool, begin: Begin): NonNullable<ExecutableTool['execute']> {
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
