import { Fault, MAX_ELEMENTS } from './fault.js';
import type { Fuel } from './fault.js';

/**
 * A value: JSON as parsed (numbers are doubles), `bigint` for an integer, `Map` for a map literal, a time, a span of
 * time, or a {@link Fault}.
 */
export type Value = unknown;

/** `google.protobuf.Timestamp`. */
export class Timestamp {
  /** @param nanos since 1970-01-01T00:00:00Z */
  constructor(readonly nanos: bigint) {}
}

/** `google.protobuf.Duration`. */
export class Duration {
  constructor(readonly nanos: bigint) {}
}

/** Reports whether a value is an object of JSON. */
export function isObject(value: Value): value is Readonly<Record<string, Value>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Names that every object of JSON inherits: only these need a look at where a member comes from. */
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Reads a member of this name of an object or map. */
export function memberReader(name: string): (of: Value) => Value {
  if (INHERITED.has(name)) return (of) => memberOf(of, name);
  return (of) => {
    if (!isObject(of)) return memberOf(of, name);
    const found = of[name];
    return found === undefined ? Fault.absent : found;
  };
}

/** The member of an object or map, which may have any name. */
export function memberOf(of: Value, name: Value): Value {
  if (isObject(of)) {
    if (typeof name !== 'string' || !Object.hasOwn(of, name)) return Fault.absent;
    const found = of[name];
    return found === undefined ? Fault.absent : found;
  }
  if (of instanceof Map) {
    const found: Value = of.get(name);
    return found === undefined ? Fault.absent : found;
  }
  return of instanceof Fault ? of : Fault.wrongType;
}

/** Reports whether a number may stand for others than the one received: JSON gives the nearest double. */
export function isInexact(value: Value): boolean {
  return typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER);
}

/** In the order of code points; CEL compares strings so, JavaScript by UTF-16 units. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Surrogates are above all characters of one unit. */
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x2000 : unit);

/**
 * Order of two values: negative, zero, positive, `NaN` for numbers that have none, or a fault. Numbers of both kinds
 * compare by their mathematical value.
 */
export function order(a: Value, b: Value): number | Fault {
  switch (typeof a) {
    case 'number':
    case 'bigint':
      if (typeof b !== 'number' && typeof b !== 'bigint') break;
      return a < b ? -1 : a > b ? 1 : a >= b ? 0 : NaN;
    case 'string':
      if (typeof b !== 'string') break;
      return compareTexts(a, b);
    case 'boolean':
      if (typeof b !== 'boolean') break;
      return Number(a) - Number(b);
    default:
      if (a instanceof Fault) return a;
      if (a instanceof Timestamp && b instanceof Timestamp) return compareNanos(a.nanos, b.nanos);
      if (a instanceof Duration && b instanceof Duration) return compareNanos(a.nanos, b.nanos);
  }
  return b instanceof Fault ? b : Fault.wrongType;
}

const compareNanos = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

const MAX_DEPTH = 64;
/** Texts that are compared at no cost. */
const SHORT = 64;

/**
 * Equality of CEL: values of different kinds are not equal, except that numbers compare by value. `NaN` equals nothing.
 * @param exact refuses JSON numbers beyond 2^53
 */
export function equal(a: Value, b: Value, fuel: Fuel, exact: boolean, depth = 0): boolean | Fault {
  if (a instanceof Fault) return a;
  if (b instanceof Fault) return b;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    const numeric = isNumeric(a) && isNumeric(b);
    if (exact && numeric && (isInexact(a) || isInexact(b))) return Fault.numberTooLarge;
    if (numeric && typeof a !== typeof b) return order(a, b) === 0;
    const isLong = typeof a === 'string' && typeof b === 'string' && a.length > SHORT && a.length === b.length;
    return isLong && !fuel.searched(a.length) ? Fault.textTooLong : a === b;
  }
  if (depth >= MAX_DEPTH) return Fault.tooCostly;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b, fuel, exact, depth + 1);
  if (Array.isArray(b) || b instanceof Timestamp || b instanceof Duration) return false;
  return equalMaps(a, b, fuel, exact, depth + 1);
}

const isNumeric = (value: Value): boolean => typeof value === 'number' || typeof value === 'bigint';

function equalLists(
  a: readonly Value[],
  b: readonly Value[],
  fuel: Fuel,
  exact: boolean,
  depth: number,
): boolean | Fault {
  if (a.length !== b.length) return false;
  if (a.length > MAX_ELEMENTS) return Fault.tooManyElements;
  if (!fuel.elements(a.length)) return Fault.tooCostly;
  for (let at = 0; at < a.length; at += 1) {
    const same = equal(a[at], b[at], fuel, exact, depth);
    if (same !== true) return same;
  }
  return true;
}

function equalMaps(a: object, b: object, fuel: Fuel, exact: boolean, depth: number): boolean | Fault {
  const names = keysOf(a);
  if (names instanceof Fault) return names;
  const others = keysOf(b);
  if (others instanceof Fault) return others;
  if (names.length !== others.length) return false;
  if (!fuel.elements(names.length)) return Fault.tooCostly;
  for (const name of names) {
    const other = memberOf(b, name);
    if (other === Fault.absent) return false;
    const same = equal(memberOf(a, name), other, fuel, exact, depth);
    if (same !== true) return same;
  }
  return true;
}

/** The keys of an object or map, at most {@link MAX_ELEMENTS}. */
export function keysOf(value: Value): readonly Value[] | Fault {
  if (value instanceof Map) return [...(value.keys() as Iterable<Value>)];
  if (!isObject(value)) return value instanceof Fault ? value : Fault.wrongType;
  const keys: string[] = [];
  // Names of a larger object are not all listed first.
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    if (keys.length === MAX_ELEMENTS) return Fault.tooManyElements;
    keys.push(name);
  }
  return keys;
}

/** Membership in a list, or among the keys of a map. */
export function isIn(value: Value, of: Value, fuel: Fuel, exact: boolean): boolean | Fault {
  if (value instanceof Fault) return value;
  if (of instanceof Fault) return of;
  if (!Array.isArray(of)) {
    if (typeof value === 'object') return Fault.wrongType;
    const found = memberOf(of, value);
    if (found instanceof Fault) return found === Fault.absent ? false : found;
    return true;
  }
  if (of.length > MAX_ELEMENTS) return Fault.tooManyElements;
  if (!fuel.elements(of.length)) return Fault.tooCostly;
  let fault: Fault | null = null;
  for (const item of of as readonly Value[]) {
    const same = equal(value, item, fuel, exact);
    if (same === true) return true;
    if (same !== false) fault ??= same;
  }
  return fault ?? false;
}
