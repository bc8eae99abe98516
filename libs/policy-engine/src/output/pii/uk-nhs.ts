import { saidBefore, wordsOf } from './context.js';
import { fieldBegins, fieldEnds, groups } from './digit-groups.js';
import { isParcelNumber } from './other-numbers.js';

const WORDS = wordsOf('nhs');
/** Numbers that are issued by England, Wales and the Isle of Man, by Northern Ireland, and those reserved for tests. */
const ISSUED: readonly (readonly [first: number, last: number])[] = [
  [320, 499],
  [600, 799],
  [900, 999],
];

/** NHS numbers: ten digits, plain or as 3-3-4, whose check digit holds (modulus 11, NHS Data Dictionary). */
export function ukNhsEnd(text: string, at: number): number {
  if (!fieldBegins(text, at)) return 0;
  groups.read(text, at);
  const count = groups.groupsOf(10);
  if (count !== 1 && !(count === 3 && groups.length(0) === 3 && groups.length(1) === 3)) return 0;
  const end = groups.end(count - 1);
  if (!checkDigitHolds() || !isIssued() || !fieldEnds(text, end)) return 0;
  if (saidBefore(WORDS, text, at)) return end;
  return groups.areLoose(count) || isParcelNumber(text, at) ? 0 : end;
}

function checkDigitHolds(): boolean {
  const { digits } = groups;
  let sum = 0;
  let same = true;
  for (let i = 0; i < 9; i += 1) {
    sum += digits[i]! * (10 - i);
    same &&= digits[i] === digits[9];
  }
  const check = 11 - (sum % 11);
  // 1111111111 and the like are valid too, but are not issued.
  return !same && check !== 10 && check % 11 === digits[9];
}

function isIssued(): boolean {
  const area = groups.value(0, 3);
  if (ISSUED.some(([first, last]) => area >= first && area <= last)) return true;
  // Scotland's begin with a date of birth (CHI): day and month.
  const day = groups.value(0, 2);
  const month = groups.value(2, 4);
  return day >= 1 && day <= 31 && month >= 1 && month <= 12;
}
