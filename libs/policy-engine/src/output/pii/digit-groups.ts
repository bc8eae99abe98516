import { isAlphanumeric, isDigit } from './characters.js';
import { CELL, COLON, COMMA, DOT, gapClass, gapEnd, isDash, isSign, LINE, SLASH, UNDERSCORE, WIDE } from './gaps.js';

const MOST_GROUPS = 8;
/** Digits of the longest number that is searched for, a card's. */
const MOST_DIGITS = 19;

/** Reports whether a number may begin here: a digit not preceded by part of a longer number or a name. */
function numberBegins(text: string, at: number): boolean {
  if (!isDigit(text.charCodeAt(at))) return false;
  const before = text.charCodeAt(at - 1);
  if (isAlphanumeric(before)) return false;
  return !(isJoint(before) && isDigit(text.charCodeAt(at - 2)));
}

/** Reports whether no further digit is joined to the number that ends here. */
export function numberEnds(text: string, end: number): boolean {
  const next = text.charCodeAt(end);
  if (isAlphanumeric(next)) return false;
  return !(isJoint(next) && isDigit(text.charCodeAt(end + 1)));
}

/** As {@link numberBegins}, of a number that is identified by more than its digits: it may be in a list or a record. */
export function fieldBegins(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return separatesFields(before) ? isDigit(text.charCodeAt(at)) : numberBegins(text, at);
}

/** As {@link numberEnds}, likewise. */
export function fieldEnds(text: string, end: number): boolean {
  return separatesFields(text.charCodeAt(end)) || numberEnds(text, end);
}

/** Dashes, dot, comma, slash, colon, underscore: between digits they join one number, date or time. */
function isJoint(code: number): boolean {
  return separatesFields(code) || code === DOT || code === UNDERSCORE || isDash(code);
}

/** Comma, slash, colon: they also separate the fields of a record. */
function separatesFields(code: number): boolean {
  return code === COMMA || code === SLASH || code === COLON;
}

/**
 * Groups of digits with a gap, a dot or one of `/ , : +` between two of them. Filled once for each number in a text.
 */
class DigitGroups {
  /** Number of groups. */
  count = 0;
  readonly digits = new Uint8Array(MOST_DIGITS + 1);
  readonly #lengths = new Uint8Array(MOST_GROUPS);
  readonly #ends = new Float64Array(MOST_GROUPS);
  readonly #separators = new Uint8Array(MOST_GROUPS);
  #text = '';
  #from = -1;
  #total = 0;

  length(group: number): number {
    return this.#lengths[group]!;
  }

  end(group: number): number {
    return this.#ends[group]!;
  }

  /** Class of the separator before a group, as `gaps.ts` names it; 0 before the first. */
  separator(group: number): number {
    return this.#separators[group]!;
  }

  /** The number made of some of the digits. */
  value(from: number, to: number): number {
    let value = 0;
    for (let i = from; i < to; i += 1) value = value * 10 + this.digits[i]!;
    return value;
  }

  /** Number of leading groups that have this many digits in all; 0 for none. */
  groupsOf(digits: number): number {
    let total = 0;
    for (let group = 0; group < this.count && total < digits; group += 1) {
      total += this.#lengths[group]!;
      if (total === digits) return group + 1;
    }
    return 0;
  }

  /** Reports whether the first groups have these lengths. */
  areOf(lengths: readonly number[]): boolean {
    return lengths.length <= this.count && lengths.every((length, group) => length === this.#lengths[group]);
  }

  /**
   * Reports whether the first `count` groups are separated in a way that single numbers seldom are: in cells, lines or
   * columns, or with `/ , : +`.
   */
  areLoose(count: number): boolean {
    for (let group = 1; group < count; group += 1) if (isLoose(this.#separators[group]!)) return true;
    return false;
  }

  /** Reports whether all of the first `count` groups have the same separator. */
  areUniform(count: number): boolean {
    for (let group = 2; group < count; group += 1) if (this.#separators[group] !== this.#separators[1]) return false;
    return true;
  }

  /**
   * Reads the groups from `from` on. A last group that would exceed {@link MOST_DIGITS} is omitted.
   * @returns the number of their digits
   */
  read(text: string, from: number): number {
    if (from === this.#from && text === this.#text) return this.#total;
    this.#text = text;
    this.#from = from;
    this.count = 0;
    this.#total = 0;
    let separator = 0;
    for (let at = from; this.count < MOST_GROUPS;) {
      let total = this.#total;
      let end = at;
      while (total <= MOST_DIGITS && isDigit(text.charCodeAt(end))) {
        this.digits[total] = text.charCodeAt(end) - 0x30;
        total += 1;
        end += 1;
      }
      if (end === at || total > MOST_DIGITS) break;
      this.#lengths[this.count] = total - this.#total;
      this.#total = total;
      this.#ends[this.count] = end;
      this.#separators[this.count] = separator;
      this.count += 1;
      const next = text.charCodeAt(end);
      if (next === DOT || isSign(next)) {
        separator = next;
        at = end + 1;
      } else {
        at = gapEnd(text, end);
        if (at === end) break;
        separator = gapClass();
      }
    }
    return this.#total;
  }
}

function isLoose(separator: number): boolean {
  return (
    separator === WIDE || separator === LINE || separator === CELL || separator === UNDERSCORE || isSign(separator)
  );
}

/** The groups of the last number read: all matchers at one position read them once. */
export const groups = new DigitGroups();
