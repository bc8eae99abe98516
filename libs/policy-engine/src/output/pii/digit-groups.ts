import { isAlphanumeric, isDigit } from './characters.js';

const MOST_GROUPS = 8;
const SPACE = 0x20;
const DASH = 0x2d;
const DOT = 0x2e;

/** Whether a number may begin here: a digit that nothing of a longer number or a name stands before. */
function numberBegins(text: string, at: number): boolean {
  if (!isDigit(text.charCodeAt(at))) return false;
  const before = text.charCodeAt(at - 1);
  if (isAlphanumeric(before)) return false;
  return !(isJoint(before) && isDigit(text.charCodeAt(at - 2)));
}

/** Whether no further digit is joined to the number that ends here. */
export function numberEnds(text: string, end: number): boolean {
  const next = text.charCodeAt(end);
  if (isAlphanumeric(next)) return false;
  return !(isJoint(next) && isDigit(text.charCodeAt(end + 1)));
}

/** As {@link numberBegins}, of a number that is known by more than its digits: in a list or a record it may stand. */
export function fieldBegins(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return separatesFields(before) ? isDigit(text.charCodeAt(at)) : numberBegins(text, at);
}

/** As {@link numberEnds}, likewise. */
export function fieldEnds(text: string, end: number): boolean {
  return separatesFields(text.charCodeAt(end)) || numberEnds(text, end);
}

/** Dashes, dot, comma, slash, colon, underscore: between digits they make one number, date or time of them. */
function isJoint(code: number): boolean {
  return separatesFields(code) || code === 0x2d || code === DOT || code === 0x5f || isDash(code);
}

/** Comma, slash, colon: they stand between the fields of a record as well. */
function separatesFields(code: number): boolean {
  return code === 0x2c || code === 0x2f || code === 0x3a;
}

/** A hyphen, a dash of Unicode, or a minus. */
function isDash(code: number): boolean {
  return code === DASH || (code >= 0x2010 && code <= 0x2015) || code === 0x2212;
}

/** Groups of digits with one space, dash or dot between two of them. Made once and filled anew for each number. */
export class DigitGroups {
  /** How many groups there are. */
  count = 0;
  /** Digits in all. */
  total = 0;
  readonly #lengths = new Uint8Array(MOST_GROUPS);
  readonly #ends = new Float64Array(MOST_GROUPS);
  readonly #separators = new Uint8Array(MOST_GROUPS);
  readonly #most: number;
  readonly digits: Uint8Array;

  /** @param most digits in all */
  constructor(most: number) {
    this.#most = most;
    this.digits = new Uint8Array(most + 1);
  }

  length(group: number): number {
    return this.#lengths[group]!;
  }

  end(group: number): number {
    return this.#ends[group]!;
  }

  /** Character before a group, a dash of any kind as `-`. */
  separator(group: number): number {
    return this.#separators[group]!;
  }

  /** The number that some of the digits make. */
  value(from: number, to: number): number {
    let value = 0;
    for (let i = from; i < to; i += 1) value = value * 10 + this.digits[i]!;
    return value;
  }

  /**
   * Reads the groups from `from` on. A last group that would pass the most digits is left out.
   * @returns false, and what is held means nothing, when the first group has fewer than `leastFirst` digits
   */
  read(text: string, from: number, leastFirst: number): boolean {
    this.count = 0;
    this.total = 0;
    let separator = 0;
    for (let at = from; this.count < MOST_GROUPS; at += 1) {
      const before = this.total;
      let total = before;
      let end = at;
      while (total <= this.#most && isDigit(text.charCodeAt(end))) {
        this.digits[total] = text.charCodeAt(end) - 0x30;
        total += 1;
        end += 1;
      }
      if (end === at || total > this.#most) break;
      if (this.count === 0 && total < leastFirst) return false;
      this.#lengths[this.count] = total - before;
      this.#ends[this.count] = end;
      this.#separators[this.count] = separator;
      this.count += 1;
      this.total = total;
      const next = text.charCodeAt(end);
      if (next !== SPACE && next !== DOT && !isDash(next)) break;
      separator = isDash(next) ? DASH : next;
      at = end;
    }
    return this.total >= leastFirst;
  }
}
