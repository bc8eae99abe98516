import { saidBefore, wordsOf } from './context.js';
import { fieldBegins, fieldEnds, groups } from './digit-groups.js';
import { SLASH, UNDERSCORE } from './gaps.js';
import type { PiiMatcher } from './matcher.js';

const SSN_WORDS = wordsOf('ssns?|social[ _-]?security');
const ITIN_WORDS = wordsOf('itins?|tax(?:payer)?[ _-]?id(?:entification)?');
const GROUPS = [3, 2, 4];

/**
 * Social security numbers: area not 000, 666 or 900 and above, group not 00, serial not 0000 (SSA POMS RM 10201.035).
 */
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
    if (!fieldBegins(text, at)) return 0;
    groups.read(text, at);
    const count = groups.groupsOf(9);
    if (count !== 1 && !(count === 3 && groups.areOf(GROUPS) && groups.areUniform(3))) return 0;
    const end = groups.end(count - 1);
    if (!fieldEnds(text, end) || !issued(groups.value(0, 3), groups.value(3, 5), groups.value(5, 9))) return 0;
    return (count === 3 && standByThemselves()) || saidBefore(words, text, at) ? end : 0;
  };
}

/** Three groups that need no words: in columns, cells or lines they are as often three numbers. */
function standByThemselves(): boolean {
  if (!groups.areLoose(3)) return true;
  const separator = groups.separator(1);
  if (separator === UNDERSCORE) return true;
  const serial = groups.value(5, 9);
  // `123/45/2026` is the number of a file.
  return separator === SLASH && (serial < 1900 || serial > 2099);
}
