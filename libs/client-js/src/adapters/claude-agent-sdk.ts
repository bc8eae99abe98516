import type { Countersign } from '../client.js';
import type { Outcome } from '../options.js';
import { isDenied, type BegunAction } from './begun-action.js';
import { beginToolCall, requireToolGuardOptions, type ToolCall, type ToolGuardOptions } from './tool-call.js';

export type { ToolCall, ToolGuardOptions } from './tool-call.js';

/** The part of the client that the hooks use. */
type Client = Pick<Countersign, 'guard' | 'reportOutcome'>;

/** The used part of what Claude Code says to a hook of a tool call. */
interface HookInput {
  readonly session_id?: string;
  readonly agent_id?: string;
  readonly agent_type?: string;
  readonly tool_name?: string;
  readonly tool_input?: unknown;
  readonly tool_use_id?: string;
}

interface HookOutput {
  readonly hookSpecificOutput?: {
    readonly hookEventName: 'PreToolUse';
    readonly permissionDecision: 'deny';
    readonly permissionDecisionReason: string;
  };
}

type Hook = (
  input: HookInput,
  toolUseId: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<HookOutput>;

interface Matcher {
  readonly hooks: Hook[];
  /** Seconds. */
  readonly timeout: number;
  readonly onFailure?: 'block';
}

/** Hooks for `options.hooks` of `query`. */
export interface GuardedHooks {
  readonly PreToolUse: Matcher[];
  readonly PostToolUse: Matcher[];
  readonly PostToolUseFailure: Matcher[];
}

/** Most calls whose outcomes are awaited: some end without a hook, so the oldest are dropped. */
const PENDING = 10_000;
/** The client has deadlines of its own, and may wait for a person. Seconds. */
const TIMEOUT = 3_600;

/**
 * Hooks of the Claude Agent SDK that check each tool call before it is made: Claude's own tools, yours, those of MCP servers,
 * and the same in sub-agents, whose id and type are in the metadata as `subagent` and `subagentType`.
 *
 * A call that is not allowed is denied, with a reason and what to do instead; so is one that could not be checked, for
 * whatever reason. A call that is allowed still needs the permissions that it needed before. Later hooks report its outcome,
 * also of a denied call that was made anyway. The session is in the metadata as `session`, by which rules and facts know it.
 */
export function guardHooks(countersign: Client, options: ToolGuardOptions = {}): GuardedHooks {
  requireToolGuardOptions(options);
  const pending = new Map<string, BegunAction>();
  const remember = (key: string, action: BegunAction): void => {
    pending.set(key, action);
    const [oldest] = pending.keys();
    if (pending.size > PENDING && oldest !== undefined) pending.delete(oldest);
  };
  const before: Hook = async (input, toolUseId, { signal }) => {
    try {
      const call = calledTool(input, toolUseId);
      try {
        remember(keyOf(input, toolUseId), await beginToolCall(countersign, call, options, signal));
        return {};
      } catch (error) {
        if (!isDenied(error)) throw error;
        const { eventId } = error.result;
        const agentId = options.agentId?.(call);
        if (eventId !== undefined) {
          remember(keyOf(input, toolUseId), ofDenied(countersign, error.result, eventId, agentId));
        }
        return denied(error.message);
      }
    } catch (error) {
      // Claude Code continues without a hook that fails, unless it is a version that knows `onFailure`.
      const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      return denied(`Not executed: it could not be checked whether this may be done (${why}). Tell the user.`);
    }
  };
  const after =
    (outcome: 'succeeded' | 'failed'): Hook =>
    async (input, toolUseId) => {
      const key = keyOf(input, toolUseId);
      const action = pending.get(key);
      pending.delete(key);
      await action?.[outcome]();
      return {};
    };
  return {
    PreToolUse: [{ hooks: [before], timeout: TIMEOUT, onFailure: 'block' }],
    PostToolUse: [{ hooks: [after('succeeded')], timeout: TIMEOUT }],
    PostToolUseFailure: [{ hooks: [after('failed')], timeout: TIMEOUT }],
  };
}

function calledTool(input: HookInput, toolUseId: string | undefined): ToolCall {
  const { session_id: session, agent_id: subagent, agent_type: subagentType, tool_name: toolName } = input;
  if (typeof toolName !== 'string') throw new TypeError('the hook was called without tool_name');
  const toolCallId = toolUseId ?? input.tool_use_id;
  const facts = { session, subagent, subagentType };
  const metadata = Object.fromEntries(Object.entries(facts).filter(([, value]) => typeof value === 'string'));
  return { toolName, input: input.tool_input, metadata, ...(toolCallId === undefined ? {} : { toolCallId }) };
}

function keyOf({ session_id: session, tool_use_id: id }: HookInput, toolUseId: string | undefined): string {
  return JSON.stringify([session, toolUseId ?? id]);
}

/** A denied call that may be made anyway: then the evidence must say so. */
function ofDenied(
  countersign: Client,
  check: BegunAction['check'],
  eventId: string,
  agentId: string | undefined,
): BegunAction {
  const report = async (outcome: Outcome): Promise<void> => {
    try {
      await countersign.reportOutcome({ eventId, outcome }, agentId === undefined ? {} : { agentId });
    } catch (error) {
      console.warn(`countersign: that ${eventId} ${outcome} was not reported: ${String(error)}`);
    }
  };
  return { check, succeeded: () => report('succeeded'), failed: () => report('failed') };
}

function denied(reason: string): HookOutput {
  const decision = { permissionDecision: 'deny', permissionDecisionReason: reason } as const;
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } };
}
