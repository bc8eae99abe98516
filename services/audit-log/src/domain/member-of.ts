import type { JsonValue } from '@countersign/contracts';

/** The own member of a JSON object; `undefined`: it has none, or `value` is no object. */
export function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? (value as { readonly [key: string]: JsonValue })[name] : undefined;
}
