import type { Type } from '../cel/syntax.js';

/** JSON Schema of the arguments of a tool, as `tools/list` of the Model Context Protocol gives it (`inputSchema`). */
export type ToolSchema = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 16;

/** The members that a schema declares, with their schemas; `null` where it leaves them open, or is not of an object. */
function membersOf(schema: unknown, root: ToolSchema): Readonly<Record<string, unknown>> | null {
  const object = resolved(schema, root);
  if (object === null) return null;
  const { properties, additionalProperties: others } = object;
  if (!isObject(properties) || others === true || isObject(others) || object['patternProperties'] !== undefined)
    return null;
  return properties;
}

/** The schema at a path (`[]` is an element of a list); `undefined` where a member is not declared, `null` if unknown. */
export function schemaAt(
  root: ToolSchema,
  path: readonly string[],
):
  | { readonly schema: unknown }
  | { readonly missing: string; readonly at: number; readonly known: readonly string[] }
  | null {
  let schema: unknown = root;
  for (const [at, name] of path.entries()) {
    const object = resolved(schema, root);
    if (object === null) return null;
    if (name === '[]') {
      schema = object['items'];
      continue;
    }
    const members = membersOf(object, root);
    if (members === null) return null;
    if (!Object.hasOwn(members, name)) return { missing: name, at, known: Object.keys(members) };
    schema = members[name];
  }
  return { schema };
}

/** The static type of values of a schema; `null` where it is open. Integers of JSON are doubles. */
export function typeOfSchema(schema: unknown, root: ToolSchema): Type | null {
  const object = resolved(schema, root);
  switch (object?.['type']) {
    case 'string':
      return { kind: 'string' };
    case 'number':
    case 'integer':
      return { kind: 'double' };
    case 'boolean':
      return { kind: 'bool' };
    case 'null':
      return { kind: 'null' };
    case 'array':
      return { kind: 'list', item: typeOfSchema(object['items'], root) ?? { kind: 'json' } };
    default:
      return null;
  }
}

/** Follows references within the schema, and a union with null. `null` for unions of several kinds. */
function resolved(schema: unknown, root: ToolSchema, depth = 0): Readonly<Record<string, unknown>> | null {
  if (!isObject(schema) || depth > MAX_DEPTH) return null;
  const ref = schema['$ref'];
  if (typeof ref === 'string') return ref.startsWith('#/') ? resolved(atPointer(root, ref), root, depth + 1) : null;
  for (const union of [schema['anyOf'], schema['oneOf']]) {
    if (!Array.isArray(union)) continue;
    const others = union.filter((one) => !isObject(one) || one['type'] !== 'null');
    return others.length === 1 ? resolved(others[0], root, depth + 1) : null;
  }
  return schema['allOf'] === undefined ? schema : null;
}

/** RFC 6901. */
function atPointer(root: unknown, ref: string): unknown {
  let value = root;
  for (const token of ref.slice(2).split('/')) {
    const name = decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
