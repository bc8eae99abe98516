import { isWellFormed, utf8 } from '../encoding/text.js';

/** What RFC 8785 gives no form to: lone surrogates, non-finite numbers, anything that is not plain JSON data. */
export class NotCanonical extends Error {
  override readonly name = 'NotCanonical';
}

const MAX_DEPTH = 1000;

/**
 * The canonical form of plain JSON data (RFC 8785): keys in UTF-16 order, ECMAScript's number form, minimal escapes.
 * @throws NotCanonical for lone surrogates, numbers that are not finite, `undefined`, functions, symbols, bigints,
 *   objects with a prototype of their own, and a depth over 1,000 (so a cycle as well)
 */
export function canonicalize(value: unknown): string {
  return form(value, 0);
}

/** {@link canonicalize} in UTF-8. */
export function canonicalBytes(value: unknown): Uint8Array {
  return utf8(form(value, 0));
}

function form(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      if (!Number.isFinite(value)) throw new NotCanonical('a number that is not finite has no canonical form');
      return `${value}`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (depth >= MAX_DEPTH) throw new NotCanonical(`a depth over ${MAX_DEPTH} has no canonical form here`);
      return Array.isArray(value) ? arrayForm(value, depth + 1) : objectForm(value, depth + 1);
    default:
      throw new NotCanonical(`${typeof value} is not JSON`);
  }
}

function arrayForm(items: readonly unknown[], depth: number): string {
  if (items.length === 0) return '[]';
  let text = '[' + form(items[0], depth);
  for (let i = 1; i < items.length; i += 1) text += ',' + form(items[i], depth);
  return text + ']';
}

function objectForm(object: object, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(object);
  // A root prototype of any realm is plain; whatever inherits from one is not.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw new NotCanonical('only plain objects are JSON');
  }
  const keys = Object.keys(object);
  if (keys.length === 0) return '{}';
  for (let i = 1; i < keys.length; i += 1) {
    if (keys[i - 1]! > keys[i]!) {
      sortKeys(keys);
      break;
    }
  }
  const record = object as Record<string, unknown>;
  let text = '{';
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i]!;
    if (i > 0) text += ',';
    text += quote(key) + ':' + form(record[key], depth);
  }
  return text + '}';
}

/** By UTF-16 code units. The engine's own sort allocates, which shows where every check passes; short lists need none. */
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
  if (text.length > 64) return quoteChecked(text);
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code < 0xe000)) return quoteChecked(text);
  }
  return '"' + text + '"';
}

function quoteChecked(text: string): string {
  if (!isWellFormed(text)) throw new NotCanonical('a lone surrogate has no canonical form');
  return JSON.stringify(text);
}
