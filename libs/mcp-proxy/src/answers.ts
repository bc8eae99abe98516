import { isObject, resultText, type Id, type JsonObject, type Response } from './message.js';
import type { ToolCall } from './tool-call.js';

/** Longest tool name, UTF-16 code units: real ones have at most 128. */
const LONGEST_NAME = 256;
/** Protocol versions that fit into a header. */
const TOKEN = /^[\w.-]{1,64}$/u;
/** Format of protocol versions. */
const VERSION = /^\d{4}-\d{2}-\d{2}$/u;
const CAPABILITIES: ReadonlySet<string> = new Set([
  ...['tools', 'resources', 'prompts', 'logging', 'completions', 'tasks', 'listChanged', 'subscribe'],
  ...['list', 'cancel', 'requests', 'call'],
]);
const DEEPEST_FLAG = 4;

/** Facts of an answer to `tools/call` or `tasks/result`. */
export interface CallAnswer {
  /** Id of the task that will hold the result. */
  readonly createdTask: string | null;
  /** The server, or the tool, reports a failure. */
  readonly failed: boolean;
}

/** @param call the answered call; a result that names a task counts as one only if the call asked for it */
export function answerOf({ result, error }: JsonObject, call: ToolCall | undefined): CallAnswer {
  const task = call?.isTask === true && isObject(result) ? taskIdOf(result['task']) : undefined;
  const failed = error !== undefined || (isObject(result) && result['isError'] === true);
  return { createdTask: task ?? null, failed };
}

/** The task id in the parameters of `tasks/result`, or in a task. */
export function taskIdOf(value: unknown): string | undefined {
  return isObject(value) && typeof value['taskId'] === 'string' ? value['taskId'] : undefined;
}

/** Version and server name in the answer to `initialize`; `null` if absent. */
export function protocolOf({ result }: JsonObject): {
  readonly version: string | null;
  readonly server: string | null;
} {
  const { protocolVersion, serverInfo } = isObject(result) ? result : {};
  const name = isObject(serverInfo) ? serverInfo['name'] : undefined;
  return {
    version: typeof protocolVersion === 'string' && TOKEN.test(protocolVersion) ? protocolVersion : null,
    server: typeof name === 'string' ? name.slice(0, LONGEST_NAME).replace(/\p{Surrogate}/gu, '\uFFFD') : null,
  };
}

/** The answer to `initialize` without its texts, for a server whose text must not be shown. Serialized. */
export function initializationWithoutText({ id, result }: JsonObject): string {
  const { protocolVersion, capabilities } = isObject(result) ? result : {};
  const version = typeof protocolVersion === 'string' && VERSION.test(protocolVersion) ? { protocolVersion } : {};
  return resultText(id as Id, {
    ...version,
    capabilities: flagsOf(capabilities, 0),
    serverInfo: { name: 'withheld', version: '0' },
  });
}

/** Members that the protocol defines, if they are objects and booleans. */
function flagsOf(value: unknown, depth: number): JsonObject {
  if (!isObject(value) || depth === DEEPEST_FLAG) return {};
  const known = Object.entries(value).filter(([name]) => CAPABILITIES.has(name));
  return Object.fromEntries(
    known.map(([name, held]) => [name, typeof held === 'boolean' ? held : flagsOf(held, depth + 1)]),
  );
}

/** Names of the callable tools in an answer to `tools/list`. */
export function listedTools({ result }: JsonObject): string[] {
  const tools = isObject(result) ? result['tools'] : undefined;
  return Array.isArray(tools)
    ? tools
        .filter(isObject)
        .map(({ name }) => name)
        .filter(isCallable)
    : [];
}

/** True for a name that a call, and the request for off-limits tools, can carry. */
function isCallable(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && name.length <= LONGEST_NAME && !/\p{Surrogate}/u.test(name);
}

/** The answer with only the tools that `isLeft` accepts; the same answer if those are all. */
export function toolsLeft(answer: Response, isLeft: (tool: ListedTool) => boolean): Response {
  const { result } = answer.value;
  if (!isObject(result) || !Array.isArray(result['tools'])) return answer;
  const tools = result['tools'].filter(
    (tool) => isObject(tool) && isCallable(tool['name']) && isLeft(tool as ListedTool),
  );
  if (tools.length === result['tools'].length) return answer;
  const value = { ...answer.value, result: { ...result, tools } };
  return { ...answer, value, text: JSON.stringify(value) };
}

export interface ListedTool extends JsonObject {
  readonly name: string;
}
