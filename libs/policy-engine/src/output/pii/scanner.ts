import { isDigit, isHexDigit, isLetter } from './characters.js';
import { groups } from './digit-groups.js';
import { PII_KINDS } from '@countersign/contracts';
import { KIND_FORMS } from './kinds.js';
import type { PiiKind } from '@countersign/contracts';
import type { Beginning, PiiMatcher } from './matcher.js';

/** A piece of personal data in a text: UTF-16 offsets, `end` exclusive; an e-mail address from its `@` on. */
export interface PiiSpan {
  readonly kind: PiiKind;
  readonly start: number;
  readonly end: number;
}

interface Asked {
  /** Its index among the scanner's kinds. */
  readonly index: number;
  readonly leastDigits: number;
  readonly end: PiiMatcher;
}

const BEGINNINGS: readonly Beginning[] = ['digit', 'hex letter', 'other letter', '+ or (', ':', '@'];
/** By ASCII code: index in {@link BEGINNINGS} plus 1, or 0 where nothing begins. */
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => 1 + BEGINNINGS.indexOf(beginningOf(code) as Beginning));
const DIGIT = 1;
const NOT_COUNTED = Number.POSITIVE_INFINITY;
/** Classes up to this one continue with the next character: nothing begins in the middle of a word. */
const LAST_OF_WORDS = 3;

function beginningOf(code: number): Beginning | null {
  if (isDigit(code)) return 'digit';
  if (isHexDigit(code)) return 'hex letter';
  if (isLetter(code)) return 'other letter';
  if (code === 0x2b || code === 0x28) return '+ or (';
  return code === 0x3a ? ':' : code === 0x40 ? '@' : null;
}

function isOfWord(code: number): boolean {
  const beginning = code < 128 ? CLASSES[code]! : 0;
  return beginning !== 0 && beginning <= LAST_OF_WORDS;
}

/** Searches for several kinds of personal data in one pass. */
export class PiiScanner {
  /** In the order of {@link PII_KINDS}, whatever the order given. */
  readonly kinds: readonly PiiKind[];
  readonly #asked: readonly (readonly Asked[])[];

  constructor(kinds: readonly string[]) {
    this.kinds = PII_KINDS.filter((kind) => kinds.includes(kind));
    const forms = this.kinds.map((kind, index) => ({ index, leastDigits: 0, ...KIND_FORMS[kind] }));
    const of = (beginning: Beginning): Asked[] => forms.filter(({ begins }) => begins.includes(beginning));
    this.#asked = [[], ...BEGINNINGS.map(of)];
  }

  /**
   * The index in `kinds` of the first kind that a text contains, among those before `below`; `below` when it contains
   * none.
   * @param text of `normalText`
   * @param from first index at which it may begin, up to `to`; it may end after that
   */
  first(text: string, below: number, from = 0, to = text.length): number {
    let found = below;
    this.#scan(text, from, to, below, (index) => (found = index));
    return found;
  }

  /** Every match in a text of `normalText`; several kinds may match at one position. */
  spans(text: string): readonly PiiSpan[] {
    const spans: PiiSpan[] = [];
    const all = this.kinds.length;
    this.#scan(text, 0, text.length, all, (index, start, end) => {
      spans.push({ kind: this.kinds[index]!, start, end });
      return all;
    });
    return spans;
  }

  /**
   * @param below kinds with a lower index are searched for
   * @param found called with each match; returns the new `below`
   */
  #scan(
    text: string,
    from: number,
    to: number,
    below: number,
    found: (index: number, start: number, end: number) => number,
  ): void {
    let wanted = below;
    let inWord = from > 0 && isOfWord(text.charCodeAt(from - 1));
    for (let at = from; at < to && wanted > 0; at += 1) {
      const code = text.charCodeAt(at);
      const beginning = code < 128 ? CLASSES[code]! : 0;
      if (beginning === 0) {
        inWord = false;
        continue;
      }
      const begins = !inWord || beginning > LAST_OF_WORDS;
      inWord = beginning <= LAST_OF_WORDS;
      if (!begins) continue;
      const digits = beginning === DIGIT ? groups.read(text, at) : NOT_COUNTED;
      for (const { index, leastDigits, end } of this.#asked[beginning]!) {
        if (index >= wanted) break;
        if (leastDigits > digits) continue;
        const ends = end(text, at);
        if (ends > 0) wanted = found(index, at, ends);
      }
    }
  }
}
