import type { JsonValue, PatchOperation } from '@countersign/contracts';

/** An operation that names a member that is not there, or none at all. */
export const UNFIT = Symbol('unfit');

/** Members and elements that operations may still copy. Negative: it is used up, and no further operation fits. */
export interface CopyBudget {
  left: number;
}

/** Most that the patches of one judgement copy: some 100 µs of the thread on which other checks wait. */
const MOST_COPIED = 10_000;

export const copyBudget = (): CopyBudget => ({ left: MOST_COPIED });

/** The names that a JSON Pointer (RFC 6901) leads through, unescaped. @param path with a leading slash */
export function namesOf(path: string): readonly string[] {
  return path
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * The value after one operation of RFC 6902: `add`, `replace` or `remove`. The value that is given stays as it is.
 * @returns {@link UNFIT} where the operation is an error of section 4: a member on the way is missing; or where it would
 *   copy more than the budget
 */
export function applied(
  value: JsonValue,
  { op, path, value: given }: PatchOperation,
  budget: CopyBudget = copyBudget(),
): JsonValue | typeof UNFIT {
  if (op !== 'remove' && given === undefined) return UNFIT;
  return changed(value, namesOf(path), op, given ?? null, budget);
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
  budget: CopyBudget,
): JsonValue | typeof UNFIT {
  if (budget.left < 0) return UNFIT;
  if (Array.isArray(value)) return changedList(value as readonly JsonValue[], name, rest, op, given, budget);
  if (typeof value !== 'object' || value === null) return UNFIT;
  const members = value as { readonly [name: string]: JsonValue };
  const isThere = Object.hasOwn(members, name);
  if (rest.length === 0) {
    if ((op !== 'add' && !isThere) || !affords(budget, members)) return UNFIT;
    if (op !== 'remove') return { ...members, [name]: given };
    const { [name]: _, ...others } = members;
    return others;
  }
  if (!isThere) return UNFIT;
  const inner = changed(members[name]!, rest, op, given, budget);
  return inner === UNFIT || !affords(budget, members) ? UNFIT : { ...members, [name]: inner };
}

/** Charges a copy of the object or list; false: it would exceed the budget, which is used up then. */
function affords(budget: CopyBudget, copied: object): boolean {
  budget.left -= Array.isArray(copied) ? copied.length : Object.keys(copied).length;
  return budget.left >= 0;
}

const INDEX = /^(?:0|[1-9][0-9]{0,8})$/;
const END = '-';

function changedList(
  items: readonly JsonValue[],
  name: string,
  rest: readonly string[],
  op: PatchOperation['op'],
  given: JsonValue,
  budget: CopyBudget,
): JsonValue | typeof UNFIT {
  const isAdded = op === 'add' && rest.length === 0;
  if (isAdded && name === END) return affords(budget, items) ? [...items, given] : UNFIT;
  if (!INDEX.test(name)) return UNFIT;
  const at = Number(name);
  if (at > items.length || (at === items.length && !isAdded)) return UNFIT;
  const inner = rest.length === 0 ? given : changed(items[at]!, rest, op, given, budget);
  if (inner === UNFIT || !affords(budget, items)) return UNFIT;
  if (isAdded) return items.toSpliced(at, 0, given);
  return rest.length === 0 && op === 'remove' ? items.toSpliced(at, 1) : items.with(at, inner);
}
