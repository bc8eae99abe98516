import type { Action } from './action.js';

/** An operation of RFC 6902. The service uses no others. */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  /** JSON Pointer (RFC 6901): `/payload/amount`. */
  readonly path: string;
  /** Of `add` and `replace`. */
  readonly value?: unknown;
}

/**
 * The action after the change that a denial with `decision: 'modify'` asks for; `action` stays as it is. It is allowed only
 * once it is checked.
 * @param patch of the result
 * @throws TypeError where the patch does not fit the action
 */
export function modifiedAction(action: Action, patch: readonly PatchOperation[]): Action {
  return patch.reduce<unknown>(
    (value, operation) => changed(value, namesIn(operation.path), operation),
    action,
  ) as Action;
}

/** A patch in an answer; `undefined` for any other value. */
export function patchOf(value: unknown): readonly PatchOperation[] | undefined {
  return Array.isArray(value) && value.every(isOperation) ? value : undefined;
}

function isOperation(value: unknown): value is PatchOperation {
  if (typeof value !== 'object' || value === null) return false;
  const { op, path } = value as Readonly<Record<string, unknown>>;
  if (typeof path !== 'string' || !path.startsWith('/')) return false;
  return (
    op === 'remove' || ((op === 'add' || op === 'replace') && Object.prototype.hasOwnProperty.call(value, 'value'))
  );
}

function namesIn(path: string): readonly string[] {
  return path
    .slice(1)
    .split('/')
    .map((name) => name.replace(/~1/g, '/').replace(/~0/g, '~'));
}

function changed(value: unknown, [name = '', ...rest]: readonly string[], operation: PatchOperation): unknown {
  if (Array.isArray(value)) return changedList(value as readonly unknown[], name, rest, operation);
  const isThere = typeof value === 'object' && value !== null && Object.prototype.hasOwnProperty.call(value, name);
  const { op } = operation;
  if (typeof value !== 'object' || value === null || (!isThere && (rest.length > 0 || op !== 'add')))
    throw unfit(operation);
  const members = value as Readonly<Record<string, unknown>>;
  if (rest.length > 0) return { ...members, [name]: changed(members[name], rest, operation) };
  if (op !== 'remove') return { ...members, [name]: operation.value };
  const { [name]: _removed, ...others } = members;
  return others;
}

function changedList(
  items: readonly unknown[],
  name: string,
  rest: readonly string[],
  operation: PatchOperation,
): readonly unknown[] {
  const { op, value } = operation;
  const isAdded = op === 'add' && rest.length === 0;
  const at = isAdded && name === '-' ? items.length : /^(?:0|[1-9][0-9]{0,8})$/.test(name) ? Number(name) : -1;
  if (at < 0 || at > items.length || (at === items.length && !isAdded)) throw unfit(operation);
  const [before, after] = [items.slice(0, at), items.slice(isAdded ? at : at + 1)];
  if (rest.length > 0) return [...before, changed(items[at], rest, operation), ...after];
  return op === 'remove' ? [...before, ...after] : [...before, value, ...after];
}

const unfit = ({ op, path }: PatchOperation): TypeError =>
  new TypeError(`the action has no member for ${op} ${path}: apply the patch to the action that was checked`);
