import { isObject, resultText, type Id, type JsonObject, type Response } from './message.js';
import type { ToolCall } from './tool-call.js';

/** Of names of tools, in UTF-16: those of real ones have 128 at most. */
const LONGEST_NAME = 256;
/** What a header can bear as one. */
const TOKEN = /^[\w.-]{1,64}$/u;
/** As protocol versions are written. */
const VERSION = /^\d{4}-\d{2}-\d{2}$/u;
const CAPABILITIES: ReadonlySet<string> = new Set([
  ...['tools', 'resources', 'prompts', 'logging', 'completions', 'tasks', 'listChanged', 'subscribe'],
  ...['list', 'cancel', 'requests', 'call'],
]);
const DEEPEST_FLAG = 4;

/** What an answer to a call, or to the question for a task's result, says. */
export interface CallAnswer {
  /** The id of the task that stands for the result. */
  readonly createdTask: string | null;
  /** The server, or the tool, says that it did not do what was asked. */
  readonly failed: boolean;
}

/** @param call what is answered; a result that names a task is one only where the call asked for it */
export function answerOf({ result, error }: JsonObject, call: ToolCall | undefined): CallAnswer {
  const task = call?.isTask === true && isObject(result) ? taskIdOf(result['task']) : undefined;
  const failed = error !== undefined || (isObject(result) && result['isError'] === true);
  return { createdTask: task ?? null, failed };
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
    version: typeof protocolVersion === 'string' && TOKEN.test(protocolVersion) ? protocolVersion : null,
    server: typeof name === 'string' ? name.slice(0, LONGEST_NAME).replace(/\p{Surrogate}/gu, '\uFFFD') : null,
  };
}

/** What the answer to `initialize` says without words: for a server whose text is not to be seen. As text. */
export function initializationWithoutText({ id, result }: JsonObject): string {
  const { protocolVersion, capabilities } = isObject(result) ? result : {};
  const version = typeof protocolVersion === 'string' && VERSION.test(protocolVersion) ? { protocolVersion } : {};
  return resultText(id as Id, {
    ...version,
    capabilities: flagsOf(capabilities, 0),
    serverInfo: { name: 'withheld', version: '0' },
  });
}

/** Members that the protocol names, as far as they are objects and booleans. */
function flagsOf(value: unknown, depth: number): JsonObject {
  if (!isObject(value) || depth === DEEPEST_FLAG) return {};
  const known = Object.entries(value).filter(([name]) => CAPABILITIES.has(name));
  return Object.fromEntries(
    known.map(([name, held]) => [name, typeof held === 'boolean' ? held : flagsOf(held, depth + 1)]),
  );
}

/** Names of the tools in an answer to `tools/list` that somebody can call. */
export function listedTools({ result }: JsonObject): string[] {
  const tools = isObject(result) ? result['tools'] : undefined;
  return Array.isArray(tools)
    ? tools
        .filter(isObject)
        .map(({ name }) => name)
        .filter(isCallable)
    : [];
}

/** Whether a call, and the question which tools are off limits, can bear the name. */
function isCallable(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && name.length <= LONGEST_NAME && !/\p{Surrogate}/u.test(name);
}

/** The answer with those tools alone that `isLeft` says yes to; the same answer where those are all. */
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
