import { toolCallAction, type Action } from '@countersign/client';

/** A tool call before or after it is made, as Claude Code passes it to hooks. */
export interface ToolEvent {
  readonly when: 'before' | 'succeeded' | 'failed';
  readonly toolName: string;
  readonly toolInput: unknown;
  readonly sessionId: string | undefined;
  /** Identical before and after the call. */
  readonly toolUseId: string | undefined;
  readonly cwd: string | undefined;
  /** Stopped by the user. */
  readonly interrupted: boolean;
}

/** The input is not that of a hook; the message says what was expected. */
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
    throw new HookInputError('standard input is not a JSON object');
  }
  return value as JsonObject;
}

/**
 * Reads hook input with the members that Claude Code documents: `hook_event_name`, `tool_name`, `tool_input`, and
 * optionally `session_id`, `tool_use_id`, `cwd`, `is_interrupt`. Other members are ignored.
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
 * Converts a tool call to an action. Metadata have the names of the clients' adapters. The same call gives the same
 * action, so that a call checked twice is one check.
 * @throws ActionDeniedError as `toolCallAction`
 */
export function actionOf({ toolName, toolInput, sessionId, toolUseId, cwd }: ToolEvent): Action {
  const metadata = {
    source: 'claude-code',
    ...(sessionId === undefined ? {} : { session: sessionId }),
    ...(toolUseId === undefined ? {} : { toolCallId: toolUseId }),
    ...(cwd === undefined ? {} : { cwd }),
  };
  return toolCallAction({ toolName, input: toolInput, metadata });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
