import type { PiiMatcher } from './matcher.js';
import { DigitGroups, fieldBegins, fieldEnds } from './digit-groups.js';

/** How far before nine digits without separators the words may stand that say what they are. */
const CONTEXT_LENGTH = 48;
const SSN_WORDS = /\b(?:ssns?|social[ -]?security)\b/i;
const ITIN_WORDS = /\b(?:itins?|tax(?:payer)?[ -]?id(?:entification)?)\b/i;

const groups = new DigitGroups(9);

/** Social security numbers: area not 000, 666 or 900 and above, group not 00, serial not 0000 (SSA POMS RM 10201.035). */
export const usSsnEnd: PiiMatcher = matcherOf(SSN_WORDS, (area, group, serial) => {
  return area !== 0 && area !== 666 && area < 900 && group !== 0 && serial !== 0;
});

/** Individual taxpayer identification numbers: area from 900, group 50–65, 70–88, 90–92 or 94–99 (IRM 3.21.263). */
export const usItinEnd: PiiMatcher = matcherOf(ITIN_WORDS, (area, group) => {
  if (area < 900) return false;
  return (group >= 50 && group <= 65) || (group >= 70 && group <= 88) || (group >= 90 && group <= 99 && group !== 93);
});

function matcherOf(words: RegExp, issued: (area: number, group: number, serial: number) => boolean): PiiMatcher {
  return (text, at) => {
    if (!fieldBegins(text, at) || !groups.read(text, at, 3) || groups.total !== 9) return 0;
    const end = groups.end(groups.count - 1);
    if (!fieldEnds(text, end) || !issued(groups.value(0, 3), groups.value(3, 5), groups.value(5, 9))) return 0;
    if (inGroups()) return end;
    return groups.count === 1 && words.test(text.slice(Math.max(0, at - CONTEXT_LENGTH), at)) ? end : 0;
  };
}

function inGroups(): boolean {
  if (groups.count !== 3 || groups.length(0) !== 3 || groups.length(1) !== 2) return false;
  return groups.separator(1) === groups.separator(2);
}
