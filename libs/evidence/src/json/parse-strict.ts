import { isWellFormed, utf8Length } from '../encoding/text.js';

/** Limits of JSON text. `Infinity` is no limit. */
export interface JsonLimits {
  /** Arrays and objects inside each other. */
  readonly depth: number;
  /** Keys of all objects together. */
  readonly maxKeys: number;
  /** UTF-8 bytes of one string or key. */
  readonly maxStringBytes: number;
}

/** For every JSON body except those of verification. */
export const BODY_LIMITS: JsonLimits = { depth: 32, maxKeys: 10_000, maxStringBytes: 256 * 1024 };

/** For issued files: they can always be verified. */
export const VERIFICATION_LIMITS: JsonLimits = { depth: 64, maxKeys: Infinity, maxStringBytes: Infinity };

export type JsonRefusal =
  'bom' | 'utf8' | 'syntax' | 'depth' | 'keys' | 'string-bytes' | 'duplicate-key' | 'lone-surrogate' | 'not-finite';

/** Refused JSON text. `message` can be shown to the client: it says what to change and quotes no content. */
export class JsonRefused extends Error {
  override readonly name = 'JsonRefused';
  constructor(
    readonly code: JsonRefusal,
    message: string,
  ) {
    super(message);
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses JSON (RFC 8259) without the forms that parsers disagree about: the result has exactly one canonical form, and
 * `__proto__` in it is an own property like any other. Linear in the length of the text.
 * @throws JsonRefused for a byte-order mark, invalid UTF-8, duplicate keys, lone surrogates, numbers beyond the range
 * of a double, and text that exceeds `limits`
 */
export function parseJsonStrict(input: string | Uint8Array, limits: JsonLimits = BODY_LIMITS): unknown {
  const text = typeof input === 'string' ? input : decode(input);
  if (text.charCodeAt(0) === 0xfeff) throw new JsonRefused('bom', 'send JSON without a byte-order mark');
  const seen = scan(text, limits);
  const value = parse(text);
  const walk: Walk = {
    limits,
    keys: 0,
    // Bytes that were valid UTF-8 can yield a lone surrogate only through an escape.
    surrogates: seen.unicodeEscape || (typeof input === 'string' && !isWellFormed(text)),
    // A UTF-16 unit takes three bytes at most.
    lengths: seen.longestString * 3 > limits.maxStringBytes,
  };
  visit(value, walk);
  // JSON.parse keeps the last of equal keys, so a duplicate leaves fewer keys than the text had.
  if (walk.keys !== seen.keys) throw new JsonRefused('duplicate-key', 'give each key of an object only once');
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new JsonRefused('utf8', 'send JSON in valid UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new JsonRefused('syntax', text.trim() === '' ? 'send JSON: the text is empty' : 'send valid JSON (RFC 8259)');
  }
}

interface Scan {
  /** Colons outside strings: the keys of all objects, when the text is JSON. */
  keys: number;
  /** UTF-16 units between the quotes of the longest string, escapes as written. */
  longestString: number;
  unicodeEscape: boolean;
}

/** One pass before parsing. Its findings in text that is not JSON do not matter: parsing refuses that text. */
function scan(text: string, limits: JsonLimits): Scan {
  const seen: Scan = { keys: 0, longestString: 0, unicodeEscape: false };
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    switch (text.charCodeAt(i)) {
      case 0x22: {
        const end = closingQuote(text, i + 1, seen);
        if (end - i - 1 > seen.longestString) seen.longestString = end - i - 1;
        i = end;
        break;
      }
      case 0x3a:
        seen.keys += 1;
        if (seen.keys > limits.maxKeys) {
          throw new JsonRefused('keys', `send at most ${limits.maxKeys} keys in all`);
        }
        break;
      case 0x7b:
      case 0x5b:
        depth += 1;
        if (depth > limits.depth) throw new JsonRefused('depth', `nest JSON at most ${limits.depth} levels deep`);
        break;
      case 0x7d:
      case 0x5d:
        depth -= 1;
        break;
      default:
    }
  }
  return seen;
}

function closingQuote(text: string, from: number, seen: Scan): number {
  let i = from;
  for (; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === 0x22) break;
    if (code === 0x5c) {
      i += 1;
      if (text.charCodeAt(i) === 0x75) seen.unicodeEscape = true;
    }
  }
  return i;
}

interface Walk {
  readonly limits: JsonLimits;
  readonly surrogates: boolean;
  readonly lengths: boolean;
  keys: number;
}

function visit(value: unknown, walk: Walk): void {
  if (typeof value === 'string') visitString(value, walk);
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new JsonRefused('not-finite', 'send numbers within the range of a double');
  } else if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value)) {
      const items = value as readonly unknown[];
      for (let i = 0; i < items.length; i += 1) {
        const item = items[i];
        // Lists of hundreds of thousands of scalars are within the limits.
        if (typeof item === 'boolean' || item === null || (typeof item === 'number' && Number.isFinite(item))) continue;
        visit(item, walk);
      }
    } else {
      const keys = Object.keys(value);
      walk.keys += keys.length;
      for (let i = 0; i < keys.length; i += 1) {
        const key = keys[i]!;
        visitString(key, walk);
        visit((value as Record<string, unknown>)[key], walk);
      }
    }
  }
}

function visitString(text: string, walk: Walk): void {
  if (walk.surrogates && !isWellFormed(text)) {
    throw new JsonRefused('lone-surrogate', 'send strings without lone surrogates');
  }
  const { maxStringBytes } = walk.limits;
  if (walk.lengths && text.length * 3 > maxStringBytes && utf8Length(text) > maxStringBytes) {
    throw new JsonRefused('string-bytes', `send strings of at most ${maxStringBytes} bytes`);
  }
}
