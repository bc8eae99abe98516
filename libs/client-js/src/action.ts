/** What an agent is about to do. Further members are the caller's own and are kept with the event. */
export interface Action {
  /** The field `action.type`: `http_call`, `llm_response`, `data_access`, `tool_use`, or a word of one's own. */
  readonly actionType: string;
  readonly url?: string;
  readonly toolName?: string;
  /** Of a `data_access`. */
  readonly dataScope?: string;
  /** US dollars. */
  readonly estimatedCost?: number;
  /** What is sent or said: any JSON value. */
  readonly payload?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/** A value in an object's clothes. */
const IN_JSON: ReadonlySet<string> = new Set(['String', 'Number', 'Boolean']);

/**
 * Body of `POST /v1/check`, as text. A `Map` is the list of its pairs in it, a `Set` the list of its values.
 * @throws TypeError where the action is not one, or has no JSON form
 */
export function checkBody(agentId: string, action: Action): string {
  const { actionType, ...members } = action;
  if (typeof actionType !== 'string' || actionType === '') {
    throw new TypeError('an action has an actionType, such as "tool_use"');
  }
  return jsonText({ agentId, action: { ...members, type: actionType } })!;
}

/**
 * A value as JSON text; `undefined` where it is nothing that JSON has.
 * @throws TypeError where it has no JSON form
 */
export function jsonText(value: unknown): string | undefined {
  const text: string | undefined = JSON.stringify(value, shown);
  return text;
}

/** What JSON would show as `{}`, though there may be something in it, is not what is executed: nobody could judge it. */
function shown(name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (kind === 'Object') return value;
  if (kind === 'Map' || kind === 'Set') return [...(value as Iterable<unknown>)];
  if (IN_JSON.has(kind) || ArrayBuffer.isView(value) || Object.keys(value).length > 0) return value;
  throw new TypeError(`${name}: a value of the kind ${kind} has no JSON form`);
}
