import { toolCallAction, type Action } from '@countersign/client';

/** What is known of a tool call before it is made and after it was, as Claude Code tells hooks of it. */
export interface ToolEvent {
  readonly when: 'before' | 'succeeded' | 'failed';
  readonly toolName: string;
  readonly toolInput: unknown;
  readonly sessionId: string | undefined;
  /** The same before and after. */
  readonly toolUseId: string | undefined;
  readonly cwd: string | undefined;
  /** A person stopped it. */
  readonly interrupted: boolean;
}

/** What arrived is not what a hook is told; the message says what was expected. */
export class HookInputError extends Error {
  override readonly name = 'HookInputError';
}

const WHEN: Readonly<Record<string, ToolEvent['when']>> = {
  PreToolUse: 'before',
  PostToolUse: 'succeeded',
  PostToolUseFailure: 'failed',
};

export type JsonObject = Readonly<Record<string, unknown>>;

/** @throws HookInputError */
export function jsonObject(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HookInputError(text.trim() === '' ? 'standard input is empty' : 'standard input is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new HookInputError('standard input is no JSON object');
  }
  return value as JsonObject;
}

/**
 * Of hook input with the members that Claude Code documents: `hook_event_name`, `tool_name`, `tool_input`, and where they
 * are there `session_id`, `tool_use_id`, `cwd`, `is_interrupt`. Others are ignored.
 * @throws HookInputError
 */
export function readToolEvent(text: string): ToolEvent {
  const input = jsonObject(text);
  const name = textOf(input['hook_event_name']);
  const when = name === undefined ? undefined : WHEN[name];
  if (when === undefined) {
    const found = name === undefined ? 'there is no hook_event_name' : `hook_event_name is ${name}`;
    throw new HookInputError(`${found}: this hook is for ${Object.keys(WHEN).join(', ')}`);
  }
  const toolName = textOf(input['tool_name']);
  if (toolName === undefined) throw new HookInputError('there is no tool_name');
  return {
    when,
    toolName,
    toolInput: input['tool_input'] ?? null,
    sessionId: textOf(input['session_id']),
    toolUseId: textOf(input['tool_use_id']),
    cwd: textOf(input['cwd']),
    interrupted: input['is_interrupt'] === true,
  };
}

/**
 * The action that a tool call is. Metadata have the names that the clients' adapters give them. The same for the same
 * call, so that one that is asked about twice is one check.
 * @throws ActionDeniedError as `toolCallAction`
 */
export function actionOf({ toolName, toolInput, sessionId, toolUseId, cwd }: ToolEvent): Action {
  const metadata = {
    source: 'claude-code',
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(toolUseId === undefined ? {} : { toolCallId: toolUseId }),
    ...(cwd === undefined ? {} : { cwd }),
  };
  return toolCallAction({ toolName, input: toolInput, metadata });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
