import { unknownField } from '@countersign/contracts';
import type { JsonSchema } from '@countersign/contracts';

/**
 * The first place where a value differs from a schema, of the keywords that the schemas of this package use; `null` if
 * it fits. @returns the place, as `args.amount.max`, and the rest of a sentence that begins with it
 */
export function schemaProblem(
  schema: JsonSchema,
  value: unknown,
  place = '',
): { readonly place: string; readonly message: string } | null {
  if (Object.hasOwn(schema, 'const') && value !== schema['const'])
    return { place, message: `must be ${JSON.stringify(schema['const'])}` };
  const choices = schema['enum'] as readonly unknown[] | undefined;
  if (choices !== undefined && !choices.includes(value))
    return { place, message: `must be ${choices.map((one) => JSON.stringify(one)).join(' or ')}` };
  const any = schema['anyOf'] as readonly JsonSchema[] | undefined;
  if (any !== undefined) {
    if (any.some((one) => schemaProblem(one, value) === null)) return null;
    return {
      place,
      message: `must be ${any.map((one) => ARTICLES[String(one['type'])] ?? 'another value').join(' or ')}`,
    };
  }
  switch (schema['type']) {
    case 'string':
      return textProblem(schema, value, place);
    case 'number':
    case 'integer':
      return numberProblem(schema, value, place);
    case 'boolean':
      return typeof value === 'boolean' ? null : { place, message: 'must be true or false' };
    case 'array':
      return listProblem(schema, value, place);
    case 'object':
      return objectProblem(schema, value, place);
    default:
      return null;
  }
}

type Found = ReturnType<typeof schemaProblem>;

const ARTICLES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
};

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

function textProblem(schema: JsonSchema, value: unknown, place: string): Found {
  if (typeof value !== 'string') return { place, message: 'must be a text' };
  const least = (schema['minLength'] as number | undefined) ?? 0;
  const most = (schema['maxLength'] as number | undefined) ?? Infinity;
  if (value.length < least)
    return { place, message: least === 1 ? 'must not be empty' : `must have at least ${least} characters` };
  if (value.length > most) return { place, message: `is longer than ${most} characters` };
  if (LONE_SURROGATE.test(value)) return { place, message: 'has half of a surrogate pair, which is no character' };
  const pattern = schema['pattern'] as string | undefined;
  if (pattern === undefined || new RegExp(pattern).test(value)) return null;
  return { place, message: `must match ${pattern}` };
}

function numberProblem(schema: JsonSchema, value: unknown, place: string): Found {
  if (typeof value !== 'number' || !Number.isFinite(value)) return { place, message: 'must be a number' };
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return { place, message: 'is beyond 2^53, where numbers are not exact' };
  if (schema['type'] === 'integer' && !Number.isInteger(value)) return { place, message: 'must be a whole number' };
  const least = (schema['minimum'] as number | undefined) ?? -Infinity;
  const most = (schema['maximum'] as number | undefined) ?? Infinity;
  return value < least || value > most ? { place, message: `must be from ${least} to ${most}` } : null;
}

function listProblem(schema: JsonSchema, value: unknown, place: string): Found {
  if (!Array.isArray(value)) return { place, message: 'must be a list' };
  const least = (schema['minItems'] as number | undefined) ?? 0;
  const most = (schema['maxItems'] as number | undefined) ?? Infinity;
  if (value.length < least) return { place, message: 'must not be empty' };
  if (value.length > most) return { place, message: `has more than ${most} entries` };
  for (const [at, item] of value.entries()) {
    const found = schemaProblem(schema['items'] as JsonSchema, item, `${place}[${at}]`);
    if (found !== null) return found;
  }
  return null;
}

function objectProblem(schema: JsonSchema, value: unknown, place: string): Found {
  if (!isObject(value)) return { place, message: 'must be an object' };
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const others = schema['additionalProperties'] as JsonSchema | false | undefined;
  const names = Object.keys(value);
  if (names.length < ((schema['minProperties'] as number | undefined) ?? 0))
    return { place, message: 'must not be empty' };
  if (names.length > ((schema['maxProperties'] as number | undefined) ?? Infinity)) {
    return { place, message: `has more than ${String(schema['maxProperties'])} members` };
  }
  for (const name of names) {
    const inner = place === '' ? name : `${place}.${name}`;
    const member = Object.hasOwn(properties, name) ? properties[name] : others;
    if (member === false || member === undefined)
      return { place, message: `has an ${unknownField(name, Object.keys(properties))}` };
    const found = schemaProblem(member, value[name], inner);
    if (found !== null) return found;
  }
  for (const name of (schema['required'] ?? []) as readonly string[]) {
    if (!Object.hasOwn(value, name)) return { place, message: `must have the member ${name}` };
  }
  return null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
