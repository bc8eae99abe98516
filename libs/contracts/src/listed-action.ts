import type { JsonValue } from './leaf.js';

/** The six fields of a check's action that lists show; a field that was not sent is `null`. */
export interface ListedAction {
  readonly type: JsonValue;
  readonly url: JsonValue;
  readonly tool_name: JsonValue;
  readonly dataScope: JsonValue;
  readonly estimatedCost: JsonValue;
  readonly metadata: JsonValue;
}

/** The form in which lists of events show a check's committed action, whatever JSON value was committed. */
export function listedAction(value: JsonValue): ListedAction {
  const action = isObject(value) ? value : {};
  const field = (name: string): JsonValue => (Object.hasOwn(action, name) ? action[name]! : null);
  return {
    type: field('type'),
    url: field('url'),
    tool_name: field('tool_name') ?? field('toolName'),
    dataScope: field('dataScope'),
    estimatedCost: field('estimatedCost'),
    metadata: field('metadata'),
  };
}

function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
