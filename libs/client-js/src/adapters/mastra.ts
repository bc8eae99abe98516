import type { BegunAction, Guard } from './begun-action.js';
import { isDenied } from './begun-action.js';
import { beginToolCall, requireToolGuardOptions, type ToolCall, type ToolGuardOptions } from './tool-call.js';

export type { ToolCall, ToolGuardOptions } from './tool-call.js';

/** The used part of the context of a tool hook of Mastra 1.x. */
interface HookContext {
  readonly toolName: string;
  readonly input: unknown;
  readonly context: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

interface AfterHookContext extends HookContext {
  readonly output?: unknown;
  readonly error?: unknown;
}

/** Hooks for `new Agent({ hooks })`. */
export interface GuardedHooks {
  readonly beforeToolCall: (call: HookContext) => Promise<{ proceed: false; output: string } | undefined>;
  readonly afterToolCall: (call: AfterHookContext) => Promise<void>;
}

/** Members of the context of a tool call. */
interface CallContext {
  readonly toolCallId?: string;
  readonly runId?: string;
  readonly abortSignal?: AbortSignal;
  readonly agent?: { readonly toolCallId?: string };
}

/**
 * Hooks of a Mastra agent that check each call of its tools before it is executed: its own ones, those of MCP servers,
 * toolsets and workspaces, workflows, and agents that it calls as tools.
 *
 * A denied call gives the model a text as its result: the reason and what to do instead. An agent that is called as a tool
 * has tools of its own: give it hooks as well, with `agentId` if it has a record of its own. Hooks that `generate` or
 * `stream` is given take the place of these: call these in them.
 */
export function guardHooks(countersign: Guard, options: ToolGuardOptions = {}): GuardedHooks {
  requireToolGuardOptions(options);
  const begun = new WeakMap<object, BegunAction>();
  return {
    async beforeToolCall(call) {
      const { context } = call;
      // The outcome is found by the context, which is that of one call.
      if (!isObject(context))
        throw new TypeError('this version of @mastra/core is not known: its hooks have no context');
      const { abortSignal } = context as CallContext;
      try {
        begun.set(context, await beginToolCall(countersign, calledTool(call, context), options, abortSignal));
        return undefined;
      } catch (error) {
        if (isDenied(error)) return { proceed: false, output: error.message };
        throw error;
      }
    },
    async afterToolCall({ context, output, error }) {
      if (!isObject(context)) return;
      const action = begun.get(context);
      begun.delete(context);
      await (error === undefined && !isRefusedInput(output) ? action?.succeeded() : action?.failed());
    },
  };
}

function calledTool({ toolName, input, metadata }: HookContext, context: CallContext): ToolCall {
  const toolCallId = context.toolCallId ?? context.agent?.toolCallId;
  const facts = {
    ...(typeof metadata?.['agentName'] === 'string' ? { agent: metadata['agentName'] } : {}),
    ...(typeof context.runId === 'string' ? { runId: context.runId } : {}),
  };
  return { toolName, input, metadata: facts, ...(toolCallId === undefined ? {} : { toolCallId }) };
}

/** A tool whose input does not match its schema is not executed, and returns this instead of throwing. */
function isRefusedInput(output: unknown): boolean {
  return isObject(output) && (output as { error?: unknown }).error === true && 'validationErrors' in output;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
