import { toolCallAction, type Action } from '@countersign/client';
import { exactValue, isLong } from './exact-numbers.js';
import { holdsInfinity } from './json-text.js';
import { isObject, variantOf, type JsonObject, type Request } from './message.js';
import { textOfMessage } from './result-texts.js';

/** What a `tools/call` asks for. */
export interface ToolCall {
  readonly name: string;
  /** With texts for long numbers, and for those that no double holds: rules read texts. `undefined` where there are none. */
  readonly given: unknown;
  /** What else the server gets: text of members beside the arguments. */
  readonly beside: string;
  /** It is answered with a task, whose result is asked for later. */
  readonly isTask: boolean;
}

const NAMES: ReadonlySet<string> = new Set(['name', 'arguments', 'task']);

/** The call, or, as text, what is wrong with its parameters. */
export function readToolCall(request: Request): ToolCall | string {
  const { params } = request;
  if (!isObject(params)) return 'tools/call needs params with the name of a tool';
  const other = variantOf(params, NAMES);
  if (other !== null) return `some readers take a member of params for "${other}"`;
  const { name, arguments: given, task } = params;
  if (typeof name !== 'string' || name === '') return 'params.name must be the name of a tool';
  if (holdsInfinity(given)) return 'a number in params.arguments is larger than any that can be checked';
  const exact = exactValue(request, isLong) as JsonObject;
  return {
    name,
    given: (exact['params'] as JsonObject)['arguments'],
    beside: textBeside(exact),
    isTask: task !== undefined,
  };
}

/** But what the protocol itself puts there, as the client has it. */
function textBeside({ id: _id, method: _method, params, ...more }: JsonObject): string {
  const { name: _name, arguments: _given, _meta, task, ...others } = params as JsonObject;
  const { progressToken: _token, ...meta } = isObject(_meta) ? _meta : { _meta };
  const { ttl: _ttl, ...ofTask } = isObject(task) ? task : { task };
  return textOfMessage({ ...more, params: [others, meta, ofTask] });
}

/**
 * The action that a call is.
 * @param server what the server calls itself
 * @throws ActionDeniedError as `toolCallAction`
 */
export function actionOf({ name, given }: ToolCall, server: string | null): Action {
  const metadata = { source: 'mcp-proxy', ...(server === null ? {} : { server }) };
  return toolCallAction({ toolName: name, input: given, metadata });
}
