/** An action that an agent is about to take. Further members are the caller's own and are stored with the event. */
export interface Action {
  /** The field `action.type`: `http_call`, `llm_response`, `data_access`, `tool_use`, or a custom type. */
  readonly actionType: string;
  readonly url?: string;
  readonly toolName?: string;
  /** Of a `data_access`. */
  readonly dataScope?: string;
  /** US dollars. */
  readonly estimatedCost?: number;
  /** Content of the action: any JSON value. */
  readonly payload?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/** Wrapper objects of primitive values. */
const IN_JSON: ReadonlySet<string> = new Set(['String', 'Number', 'Boolean']);

/**
 * Body of `POST /v1/check`, as text. A `Map` becomes the list of its pairs, a `Set` the list of its values.
 * @throws TypeError for an invalid action, or one without a JSON form
 */
export function checkBody(agentId: string, action: Action): string {
  const { actionType, ...members } = action;
  if (typeof actionType !== 'string' || actionType === '') {
    throw new TypeError('an action has an actionType, such as "tool_use"');
  }
  return jsonText({ agentId, action: { ...members, type: actionType } })!;
}

/**
 * A value as JSON text; `undefined` for a value that JSON omits.
 * @throws TypeError for a value without a JSON form
 */
export function jsonText(value: unknown): string | undefined {
  const text: string | undefined = JSON.stringify(value, shown);
  return text;
}

/** Refuses objects that JSON would show as `{}` whatever they hold: the check would not see what is executed. */
function shown(name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (kind === 'Object') return value;
  if (kind === 'Map' || kind === 'Set') return [...(value as Iterable<unknown>)];
  if (IN_JSON.has(kind) || ArrayBuffer.isView(value) || Object.keys(value).length > 0) return value;
  throw new TypeError(`${name}: a value of the kind ${kind} has no JSON form`);
}
