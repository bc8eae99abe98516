import type { JsonValue, PatchOperation } from '@countersign/contracts';

/** An operation that names a member that is not there, or none at all. */
export const UNFIT = Symbol('unfit');

/** The names that a JSON Pointer (RFC 6901) leads through, unescaped. @param path with a leading slash */
export function namesOf(path: string): readonly string[] {
  return path
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * The value after one operation of RFC 6902: `add`, `replace` or `remove`. The value that is given stays as it is.
 * @returns {@link UNFIT} where the operation is an error of section 4: a member on the way is missing
 */
export function applied(value: JsonValue, { op, path, value: given }: PatchOperation): JsonValue | typeof UNFIT {
  if (op !== 'remove' && given === undefined) return UNFIT;
  return changed(value, namesOf(path), op, given ?? null);
}

/** The value after all operations, in their order; {@link UNFIT} where one of them is an error. */
export function patched(value: JsonValue, patch: readonly PatchOperation[]): JsonValue | typeof UNFIT {
  let result: JsonValue | typeof UNFIT = value;
  for (const operation of patch) {
    if (result === UNFIT) return UNFIT;
    result = applied(result, operation);
  }
  return result;
}

function changed(
  value: JsonValue,
  [name = '', ...rest]: readonly string[],
  op: PatchOperation['op'],
  given: JsonValue,
): JsonValue | typeof UNFIT {
  if (Array.isArray(value)) return changedList(value as readonly JsonValue[], name, rest, op, given);
  if (typeof value !== 'object' || value === null) return UNFIT;
  const members = value as { readonly [name: string]: JsonValue };
  const isThere = Object.hasOwn(members, name);
  if (rest.length === 0) {
    if (op !== 'add' && !isThere) return UNFIT;
    if (op !== 'remove') return { ...members, [name]: given };
    const { [name]: _, ...others } = members;
    return others;
  }
  if (!isThere) return UNFIT;
  const inner = changed(members[name]!, rest, op, given);
  return inner === UNFIT ? UNFIT : { ...members, [name]: inner };
}

const INDEX = /^(?:0|[1-9][0-9]{0,8})$/;
const END = '-';

function changedList(
  items: readonly JsonValue[],
  name: string,
  rest: readonly string[],
  op: PatchOperation['op'],
  given: JsonValue,
): JsonValue | typeof UNFIT {
  const isAdded = op === 'add' && rest.length === 0;
  if (isAdded && name === END) return [...items, given];
  if (!INDEX.test(name)) return UNFIT;
  const at = Number(name);
  if (at > items.length || (at === items.length && !isAdded)) return UNFIT;
  if (isAdded) return items.toSpliced(at, 0, given);
  if (rest.length === 0) return op === 'remove' ? items.toSpliced(at, 1) : items.with(at, given);
  const inner = changed(items[at]!, rest, op, given);
  return inner === UNFIT ? UNFIT : items.with(at, inner);
}
