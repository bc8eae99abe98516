import { readJson, withoutMember, type JsonText } from './json-text.js';

export type JsonObject = Readonly<Record<string, unknown>>;
export type Id = string | number;

export interface Request extends JsonText {
  readonly kind: 'request';
  readonly value: JsonObject;
  readonly id: Id;
  readonly method: string;
  readonly params: unknown;
}

export interface Notification extends JsonText {
  readonly kind: 'notification';
  readonly value: JsonObject;
  readonly method: string;
  readonly params: unknown;
}

export interface Response extends JsonText {
  readonly kind: 'response';
  readonly value: JsonObject;
  /** `null`: of an error that answers an unreadable request. */
  readonly id: Id | null;
}

/** Input that is not a message, or that different readers would parse differently. */
export interface Refused {
  readonly kind: 'refused';
  /** Id of the request that it may be. */
  readonly id: Id | null;
  /** Id of the request that it would answer. */
  readonly answers?: Id | null;
  /** Error code of JSON-RPC. */
  readonly code: number;
  readonly why: string;
}

export type Message = Request | Notification | Response;

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
/** First error code that JSON-RPC leaves to implementations. */
export const SERVER_ERROR = -32_000;

/** Methods that the proxy acts upon: other spellings of them are refused. */
const GUARDED: ReadonlySet<string> = new Set(['tools/call', 'tools/list', 'tasks/result', 'notifications/cancelled']);
const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);

/** Parses one line: a message, or, as `parts`, the messages of a batch. */
export function readMessage(line: string): Message | Refused | { readonly kind: 'batch'; readonly parts: Parts } {
  try {
    const read = readJson(line);
    if (!Array.isArray(read.value)) return messageOf(read);
    if (read.value.length === 0) return refused(null, INVALID_REQUEST, 'the batch is empty');
    return { kind: 'batch', parts: read.value.map((value) => messageOf({ value, text: JSON.stringify(value) })) };
  } catch (error) {
    if (error instanceof RangeError) return refused(null, INVALID_REQUEST, 'it is nested too deeply');
    return refused(null, PARSE_ERROR, 'it is not JSON');
  }
}

export type Parts = readonly (Message | Refused)[];

function messageOf({ value, text }: JsonText): Message | Refused {
  if (!isObject(value)) return refused(null, INVALID_REQUEST, 'it is not a JSON object');
  const id = idOf(value['id']);
  const has = (name: string): boolean => Object.hasOwn(value, name);
  const answers = has('result') || has('error');
  const noMessage = (why: string): Refused => ({
    ...refused(answers && !has('method') ? null : id, INVALID_REQUEST, why),
    ...(has('method') ? {} : { answers: id }),
  });
  const other = variantOf(value, MEMBERS);
  if (other !== null) return noMessage(`some readers take a member of it for "${other}"`);
  if (!has('method')) {
    if (!answers) return noMessage('it has neither method, result nor error');
    const spare = has('result') && has('error') ? spareOf(value) : null;
    if (spare === undefined) return noMessage('it has a result and an error');
    if (spare === null) return { kind: 'response', value, text, id };
    const { [spare]: _null, ...rest } = value;
    return { kind: 'response', value: rest, text: withoutMember(text, spare), id };
  }
  const { method, params } = value;
  if (answers) return refused(id, INVALID_REQUEST, 'it is a request and an answer in one');
  if (typeof method !== 'string') return refused(id, INVALID_REQUEST, 'its method is not a string');
  if (!GUARDED.has(method) && GUARDED.has(folded(method))) {
    return refused(id, METHOD_NOT_FOUND, `there is no such method; "${folded(method)}" is one`);
  }
  if (!has('id')) return { kind: 'notification', value, text, method, params };
  if (id === null) return refused(null, INVALID_REQUEST, 'its id is neither a string nor a whole number');
  return { kind: 'request', value, text, id, method, params };
}

/** The null one of the two, as in JSON-RPC 1.0; `undefined` if both have a value. */
function spareOf({ result, error }: JsonObject): 'result' | 'error' | undefined {
  if (error === null) return 'error';
  return result === null && isObject(error) ? 'result' : undefined;
}

/** A string, or a whole number that every reader parses alike. */
export function idOf(value: unknown): Id | null {
  return typeof value === 'string' || Number.isSafeInteger(value) ? (value as Id) : null;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The one of `names` that lenient readers would take a member of `object` for, although it differs. */
export function variantOf(object: JsonObject, names: ReadonlySet<string>): string | null {
  const found = Object.keys(object).find((name) => !names.has(name) && names.has(folded(name)));
  return found === undefined ? null : folded(found);
}

/** Folds case, width, spaces and invisible characters. */
export function folded(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/[\p{C}\p{Z}]/gu, '')
    .toLowerCase();
}

function refused(id: Id | null, code: number, why: string): Refused {
  return { kind: 'refused', id, code, why };
}

/** Map key of an id; it differs for `1` and `"1"`. */
export function keyOf(id: Id): string {
  return JSON.stringify(id);
}

export function resultText(id: Id, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

export function errorText(id: Id | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}
