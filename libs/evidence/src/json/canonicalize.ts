import { isWellFormed, utf8 } from '../encoding/text.js';

/** A value without an RFC 8785 form: lone surrogates, non-finite numbers, anything that is not plain JSON data. */
export class NotCanonical extends Error {
  override readonly name = 'NotCanonical';
}

const MAX_DEPTH = 1000;
/** Arrays of at least this many items are searched for runs that JSON.stringify writes in canonical form. */
const LONG_ARRAY = 64;

/**
 * Containers whose keys JSON.stringify would write in another order, and everything that contains one. `null`: not
 * searched.
 */
type Reordered = ReadonlySet<object> | null;

/**
 * The canonical form of plain JSON data (RFC 8785): keys in UTF-16 order, ECMAScript's number form, minimal escapes.
 * @throws NotCanonical for lone surrogates, numbers that are not finite, `undefined`, functions, symbols, bigints,
 *   objects with a prototype of their own, and a depth over 1,000 (so a cycle as well)
 */
export function canonicalize(value: unknown): string {
  return form(value, 0, null);
}

/** A member of an object in RFC 8785 form. */
export interface MemberText {
  /** With its quotation marks. */
  readonly name: string;
  readonly value: string;
}

/**
 * The members of a plain object in the order of its canonical form; {@link joinMembers} makes that form of them.
 * @throws NotCanonical as {@link canonicalize}
 */
export function memberTexts(object: object): MemberText[] {
  const record = object as Record<string, unknown>;
  return orderedKeys(object).map((key) => ({ name: quote(key), value: form(record[key], 1, null) }));
}

/** The canonical form of the object that has these {@link memberTexts}. */
export function joinMembers(members: readonly MemberText[]): string {
  let text = '';
  for (const { name, value } of members) text += `${text === '' ? '' : ','}${name}:${value}`;
  return `{${text}}`;
}

/** {@link canonicalize} in UTF-8. */
export function canonicalBytes(value: unknown): Uint8Array {
  return utf8(form(value, 0, null));
}

function form(value: unknown, depth: number, reordered: Reordered): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      if (!Number.isFinite(value)) throw notFinite();
      return `${value}`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (reordered !== null && !reordered.has(value)) return JSON.stringify(value);
      if (depth >= MAX_DEPTH) throw tooDeep();
      return Array.isArray(value) ? arrayForm(value, depth + 1, reordered) : objectForm(value, depth + 1, reordered);
    default:
      throw new NotCanonical(`${typeof value} is not JSON`);
  }
}

function arrayForm(items: readonly unknown[], depth: number, reordered: Reordered): string {
  if (items.length === 0) return '[]';
  if (reordered !== null || items.length >= LONG_ARRAY) return longArrayForm(items, depth, reordered);
  let text = '[' + form(items[0], depth, null);
  for (let i = 1; i < items.length; i += 1) text += ',' + form(items[i], depth, null);
  return text + ']';
}

/**
 * Joining hundreds of thousands of small pieces costs far more than writing them: JSON.stringify writes runs of items.
 */
function longArrayForm(items: readonly unknown[], depth: number, known: Reordered): string {
  const reordered = known ?? findReordered(items, depth);
  if (!reordered.has(items)) return JSON.stringify(items);
  const pieces: string[] = [];
  let written = 0;
  for (let i = 0; i <= items.length; i += 1) {
    const item = items[i];
    if (i < items.length && !(typeof item === 'object' && item !== null && reordered.has(item))) continue;
    if (i > written) pieces.push(JSON.stringify(items.slice(written, i)).slice(1, -1));
    if (i < items.length) pieces.push(form(item, depth, reordered));
    written = i + 1;
  }
  return '[' + pieces.join(',') + ']';
}

function findReordered(items: readonly unknown[], depth: number): ReadonlySet<object> {
  const reordered = new Set<object>();
  keepsOrder(items, depth - 1, reordered);
  return reordered;
}

/**
 * Reports whether JSON.stringify writes the value as RFC 8785 does; containers for which it does not are added to
 * `reordered`.
 * @throws NotCanonical as {@link canonicalize}, for what JSON.stringify would change or omit
 */
function keepsOrder(value: unknown, depth: number, reordered: Set<object>): boolean {
  switch (typeof value) {
    case 'boolean':
      return true;
    case 'number':
      if (!Number.isFinite(value)) throw notFinite();
      return true;
    case 'string':
      if (mayNeedEscapes(value) && !isWellFormed(value)) throw loneSurrogate();
      return true;
    case 'object':
      if (value === null) return true;
      if (depth >= MAX_DEPTH) throw tooDeep();
      break;
    default:
      throw new NotCanonical(`${typeof value} is not JSON`);
  }
  let kept = !('toJSON' in value);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i += 1) if (!keepsOrder(value[i], depth + 1, reordered)) kept = false;
  } else {
    const keys = plainKeys(value);
    const record = value as Record<string, unknown>;
    for (let i = 0; i < keys.length; i += 1) {
      const key = keys[i]!;
      if (i > 0 && keys[i - 1]! > key) kept = false;
      if (mayNeedEscapes(key) && !isWellFormed(key)) throw loneSurrogate();
      if (!keepsOrder(record[key], depth + 1, reordered)) kept = false;
    }
  }
  if (!kept) reordered.add(value);
  return kept;
}

/** @throws NotCanonical when the object is not plain */
function plainKeys(object: object): string[] {
  const prototype: unknown = Object.getPrototypeOf(object);
  // A root prototype of any realm is plain; an object that inherits from another one is not.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw new NotCanonical('only plain objects are JSON');
  }
  return Object.keys(object);
}

/** By UTF-16 code units. */
function orderedKeys(object: object): string[] {
  const keys = plainKeys(object);
  for (let i = 1; i < keys.length; i += 1) {
    if (keys[i - 1]! > keys[i]!) {
      sortKeys(keys);
      break;
    }
  }
  return keys;
}

function objectForm(object: object, depth: number, reordered: Reordered): string {
  const keys = orderedKeys(object);
  if (keys.length === 0) return '{}';
  const record = object as Record<string, unknown>;
  let text = '{';
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i]!;
    if (i > 0) text += ',';
    text += quote(key) + ':' + form(record[key], depth, reordered);
  }
  return text + '}';
}

/**
 * By UTF-16 code units. Array.prototype.sort allocates, which is measurable on the path of every check; short lists are
 * sorted in place.
 */
function sortKeys(keys: string[]): void {
  if (keys.length > 16) {
    keys.sort();
    return;
  }
  for (let i = 1; i < keys.length; i += 1) {
    const key = keys[i]!;
    let at = i;
    for (; at > 0 && keys[at - 1]! > key; at -= 1) keys[at] = keys[at - 1]!;
    keys[at] = key;
  }
}

/**
 * A JSON string in the form of RFC 8785 section 3.2.2.2.
 * @throws NotCanonical for a lone surrogate
 */
export function quote(text: string): string {
  return mayNeedEscapes(text) ? quoteChecked(text) : '"' + text + '"';
}

/** Reports whether each character has to be inspected; always for long texts. */
function mayNeedEscapes(text: string): boolean {
  if (text.length > 64) return true;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code < 0xe000)) return true;
  }
  return false;
}

function quoteChecked(text: string): string {
  if (!isWellFormed(text)) throw loneSurrogate();
  return JSON.stringify(text);
}

function notFinite(): NotCanonical {
  return new NotCanonical('a number that is not finite has no canonical form');
}

function tooDeep(): NotCanonical {
  return new NotCanonical(`a depth over ${MAX_DEPTH} has no canonical form here`);
}

function loneSurrogate(): NotCanonical {
  return new NotCanonical('a lone surrogate has no canonical form');
}
