import { isObject, type JsonObject } from './message.js';
import type { ToolCall } from './tool-call.js';

/** What an answer to a call, or to the question for a task's result, says. */
export interface CallAnswer {
  readonly result: unknown;
  /** Of JSON-RPC; `undefined` where there is a result. */
  readonly error: unknown;
  /** The id of the task that stands for the result. */
  readonly createdTask: string | null;
  /** The server, or the tool, says that it did not do what was asked. */
  readonly failed: boolean;
}

/** @param call what is answered; a result that names a task is one only where the call asked for it */
export function answerOf({ result, error }: JsonObject, call: ToolCall | undefined): CallAnswer {
  const task = call?.isTask === true && isObject(result) ? taskIdOf(result['task']) : undefined;
  const failed = error !== undefined || (isObject(result) && result['isError'] === true);
  return { result, error, createdTask: task ?? null, failed };
}

/** Of the parameters of `tasks/result`, or of a task. */
export function taskIdOf(value: unknown): string | undefined {
  return isObject(value) && typeof value['taskId'] === 'string' ? value['taskId'] : undefined;
}

/** Of the answer to `initialize`; `null` for what it does not say. */
export function protocolOf({ result }: JsonObject): {
  readonly version: string | null;
  readonly server: string | null;
} {
  const { protocolVersion, serverInfo } = isObject(result) ? result : {};
  const name = isObject(serverInfo) ? serverInfo['name'] : undefined;
  return {
    version: typeof protocolVersion === 'string' ? protocolVersion : null,
    server: typeof name === 'string' ? name : null,
  };
}

/** Names of the tools in an answer to `tools/list`. */
export function listedTools({ result }: JsonObject): string[] {
  const tools = isObject(result) ? result['tools'] : undefined;
  if (!Array.isArray(tools)) return [];
  return tools.map(nameOf).filter((name) => name !== null);
}

/** The answer without these tools, as text. */
export function toolsLeft(answer: JsonObject, hidden: ReadonlySet<string>): string {
  const result = answer['result'] as JsonObject;
  const tools = (result['tools'] as readonly unknown[]).filter((tool) => !hidden.has(nameOf(tool) ?? ''));
  return JSON.stringify({ ...answer, result: { ...result, tools } });
}

function nameOf(tool: unknown): string | null {
  return isObject(tool) && typeof tool['name'] === 'string' ? tool['name'] : null;
}
