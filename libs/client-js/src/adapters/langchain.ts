import { requireFunctions } from '../check-options.js';
import { isAsyncIterable, isDenied, untilItsEnd, type BegunAction, type Guard } from './begun-action.js';
import { beginResumedCall, pendingOf, type InterruptOptions, type PendingApproval } from './interrupt.js';
import { beginToolCall, endToolCall, requireToolGuardOptions, type ToolCall } from './tool-call.js';

export type { InterruptOptions, PendingApproval } from './interrupt.js';
export type { ToolCall, ToolGuardOptions } from './tool-call.js';

/** Most answers without a decision that one call of a graph is given. */
const MOST_ANSWERS = 1000;

/** The used part of a `StructuredTool` of `@langchain/core`. */
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
 * Wraps tools so that each call is checked before it is executed, for agents, graphs and `invoke`. The tool parses its input
 * first: only calls that would be executed are checked. A denied call returns a `ToolMessage` with `status: 'error'`, or a text
 * if there was no tool call, with the reason and what to do instead.
 * Where a person has to approve a call, `interrupt` of LangGraph as the option of that name interrupts the graph.
 * @param tools created by `tool()`, or of a class that extends `StructuredTool`
 * @throws TypeError for other tools, which cannot be guarded
 */
export function guardTools<T extends object>(
  countersign: Guard,
  tools: readonly T[],
  options: InterruptOptions = {},
): T[] {
  requireToolGuardOptions(options, ['interrupt']);
  requireFunctions({ ...options }, ['interrupt']);
  return tools.map((tool) => guarded(countersign, tool, options));
}

function guarded<T extends object>(countersign: Guard, tool: T, options: InterruptOptions): T {
  const { name, call, _call: execute } = tool as Partial<CallableTool>;
  if (typeof name !== 'string' || typeof call !== 'function' || typeof execute !== 'function') {
    throw new TypeError(
      `${name ?? 'what was given'} is no StructuredTool: nothing could be asked before it is executed`,
    );
  }
  // One object for each call, so that each call knows if it was denied itself.
  const guardedCall = async (...given: unknown[]): Promise<unknown> => {
    let wasDenied = false;
    const guardedExecute = async (input: unknown, runManager?: unknown, config?: CallConfig): Promise<unknown> => {
      const toolCallId = config?.toolCall?.id;
      const asked: ToolCall = { toolName: name, input, ...(toolCallId === undefined ? {} : { toolCallId }) };
      let begun: BegunAction;
      try {
        begun = await beginOrInterrupt(countersign, asked, options, config?.signal);
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

/** LangGraph repeats the node of an interrupted call, in which `interrupt` throws until it has returned each earlier answer. */
async function beginOrInterrupt(
  countersign: Guard,
  call: ToolCall,
  options: InterruptOptions,
  signal: AbortSignal | undefined,
): Promise<BegunAction> {
  const { interrupt } = options;
  let resumed = false;
  for (;;) {
    try {
      return await (resumed ? beginResumedCall : beginToolCall)(countersign, call, options, signal);
    } catch (error) {
      const pending = pendingOf(call, error);
      if (interrupt === undefined || pending === null) throw error;
      interrupt(pending);
      if (resumed) interruptAgain(interrupt, pending);
      resumed = true;
    }
  }
}

/** Interrupts a call that was resumed without a decision, each time that it was. */
function interruptAgain(interrupt: (pending: PendingApproval) => unknown, pending: PendingApproval): never {
  for (let answers = 0; answers < MOST_ANSWERS; answers++) interrupt(pending);
  throw new TypeError('interrupt: that of LangGraph, which throws until the graph is resumed; this one returns');
}

/** Reports the end of the call; a generator ends after it is returned. */
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
