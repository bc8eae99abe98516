import { toolCallAction, type Action } from '@countersign/client';
import { exactValue, isLong } from './exact-numbers.js';
import { holdsInfinity } from './json-text.js';
import { isObject, variantOf, type JsonObject, type Request } from './message.js';
import { textOfMessage } from './result-texts.js';

/** The parameters of a `tools/call`. */
export interface ToolCall {
  readonly name: string;
  /** Arguments, with text for long numbers and for those that a double cannot represent: rules read text. `undefined` if there are none. */
  readonly given: unknown;
  /** W3C `traceparent` of the call, by its `_meta`; absent: none, or one that is not to be used. */
  readonly traceparent?: string;
  /** Text of the other members that the server receives. */
  readonly extra: string;
  /** Answered with a task, whose result is fetched later. */
  readonly isTask: boolean;
}

/** Trace Context, section 3.2: an all-zero id is invalid, as is version ff. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const NAMES: ReadonlySet<string> = new Set(['name', 'arguments', 'task']);

/** Parses the call; returns the problem with its parameters as text. */
export function readToolCall(request: Request): ToolCall | string {
  const { params } = request;
  if (!isObject(params)) return 'tools/call needs params with the name of a tool';
  const other = variantOf(params, NAMES);
  if (other !== null) return `some readers take a member of params for "${other}"`;
  const { name, arguments: given, task } = params;
  if (typeof name !== 'string' || name === '') return 'params.name must be the name of a tool';
  if (holdsInfinity(given)) return 'a number in params.arguments is larger than any that can be checked';
  const exact = exactValue(request, isLong) as JsonObject;
  const traceparent = traceOf(params);
  return {
    name,
    given: (exact['params'] as JsonObject)['arguments'],
    ...(traceparent === undefined ? {} : { traceparent }),
    extra: extraText(exact),
    isTask: task !== undefined,
  };
}

/** The trace of a call (MCP, SEP-414). */
function traceOf({ _meta: meta }: JsonObject): string | undefined {
  const sent = isObject(meta) ? meta['traceparent'] : undefined;
  return isTraceparent(sent) ? sent : undefined;
}

function isTraceparent(sent: unknown): sent is string {
  return typeof sent === 'string' && TRACEPARENT.test(sent);
}

function withoutTrace({ traceparent, ...more }: JsonObject): JsonObject {
  return traceparent === undefined || isTraceparent(traceparent) ? more : { traceparent, ...more };
}

/** Only an integer or a short text is a token of the protocol: another value is text like any other. */
function withoutToken({ progressToken, ...more }: JsonObject): JsonObject {
  const isToken = typeof progressToken === 'string' ? progressToken.length <= 128 : Number.isSafeInteger(progressToken);
  return progressToken === undefined || isToken ? more : { progressToken, ...more };
}

/** Text of all members but those that the protocol itself sets. */
function extraText({ id: _id, method: _method, params, ...more }: JsonObject): string {
  const { name: _name, arguments: _given, _meta, task, ...others } = params as JsonObject;
  const meta = isObject(_meta) ? withoutToken(withoutTrace(_meta)) : { _meta };
  const { ttl: _ttl, ...ofTask } = isObject(task) ? task : { task };
  return textOfMessage({ ...more, params: [others, meta, ofTask] });
}

/**
 * Converts a call to an action.
 * @param server the server's name for itself
 * @param session of the check: facts are held by it
 * @throws ActionDeniedError as `toolCallAction`
 */
export function actionOf({ name, given }: ToolCall, server: string | null, session?: string): Action {
  const metadata = {
    source: 'mcp-proxy',
    ...(server === null ? {} : { server }),
    ...(session === undefined ? {} : { session }),
  };
  return toolCallAction({ toolName: name, input: given, metadata });
}
