import { isDigit, isHexDigit, isLetter } from './characters.js';

export const SPACE = 0x20;
export const DOT = 0x2e;
export const DASH = 0x2d;
export const SLASH = 0x2f;
export const COMMA = 0x2c;
export const COLON = 0x3a;
const PLUS = 0x2b;
export const UNDERSCORE = 0x5f;
/** Several spaces, a tab, or signs of several kinds. */
export const WIDE = 0x09;
export const LINE = 0x0a;
export const CELL = 0x7c;

/** Characters of the longest gap between two groups of a number: cells of a table are padded with spaces. */
const MOST_GAP = 24;

/** A hyphen, a dash of Unicode, or a minus. */
export function isDash(code: number): boolean {
  return code === DASH || (code >= 0x2010 && code <= 0x2015) || code === 0x2212;
}

/** Slash, comma, colon, plus: they separate numbers of a list as well as groups of one. */
export function isSign(code: number): boolean {
  return code === SLASH || code === COMMA || code === COLON || code === PLUS;
}

/** Class of the gap that {@link gapEnd} found last. */
let found = 0;

/** {@link SPACE} … {@link CELL}: the class of the gap that {@link gapEnd} found last. */
export function gapClass(): number {
  return found;
}

/**
 * End of the white space, bars of a table, underscores and at most one dash from `at` on; `at` where there are none, or
 * more than {@link MOST_GAP}.
 */
export function gapEnd(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (!isGap(first)) return at;
  let end = at + 1;
  if (!isGap(text.charCodeAt(end))) {
    found = isDash(first) ? DASH : first === 0x0d ? WIDE : first;
    return end;
  }
  let dashes = isDash(first) ? 1 : 0;
  let kind = first === LINE || first === CELL ? first : WIDE;
  for (let code = text.charCodeAt(end); isGap(code); code = text.charCodeAt(end)) {
    if (isDash(code)) dashes += 1;
    if (dashes > 1 || end - at === MOST_GAP) return at;
    if (code === LINE || (code === CELL && kind !== LINE)) kind = code;
    end += 1;
  }
  found = kind;
  return end;
}

/**
 * Reports whether a group of exactly `length` digits ends before `at`, with a gap of this class or this sign between.
 */
export function groupBefore(text: string, at: number, length: number, kind: number): boolean {
  if (isSign(kind)) return text.charCodeAt(at - 1) === kind && groupOf(text, at - 2, -1, length, kind);
  let begin = at;
  while (at - begin < MOST_GAP && isGap(text.charCodeAt(begin - 1))) begin -= 1;
  if (begin === at || gapEnd(text, begin) !== at || gapClass() !== kind) return false;
  let digits = 0;
  while (digits <= length && isDigit(text.charCodeAt(begin - 1 - digits))) digits += 1;
  return digits === length;
}

/**
 * Reports whether a group of exactly `length` digits begins after `at`, with a gap of this class or this sign between.
 */
export function groupAfter(text: string, at: number, length: number, kind: number): boolean {
  if (isSign(kind)) return text.charCodeAt(at) === kind && groupOf(text, at + 1, 1, length, kind);
  const begin = gapEnd(text, at);
  if (begin === at || gapClass() !== kind) return false;
  let digits = 0;
  while (digits <= length && isDigit(text.charCodeAt(begin + digits))) digits += 1;
  return digits === length;
}

function isGap(code: number): boolean {
  return (
    code === SPACE ||
    code === CELL ||
    code === UNDERSCORE ||
    code === 0x09 ||
    code === 0x0a ||
    code === 0x0d ||
    isDash(code)
  );
}

/** After a colon any group of an IPv6 address, an empty one as well; after another sign one of `length` digits. */
function groupOf(text: string, from: number, step: 1 | -1, length: number, kind: number): boolean {
  const belongs = kind === COLON ? isHexDigit : isDigit;
  let count = 0;
  while (count <= length && belongs(text.charCodeAt(from + count * step))) count += 1;
  if (kind !== COLON) return count === length;
  const next = text.charCodeAt(from + count * step);
  return count === 0 ? next === COLON : count <= length && !isLetter(next);
}
