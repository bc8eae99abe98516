import { DigitGroups, fieldBegins, fieldEnds } from './digit-groups.js';

const groups = new DigitGroups(10);

/** NHS numbers: ten digits, plain or as 3-3-4, whose check digit holds (modulus 11, NHS Data Dictionary). */
export function ukNhsEnd(text: string, at: number): number {
  if (!fieldBegins(text, at) || !groups.read(text, at, 3) || groups.total !== 10) return 0;
  const written = groups.count === 1 || (groups.count === 3 && groups.length(0) === 3 && groups.length(1) === 3);
  const end = groups.end(groups.count - 1);
  return written && checkDigitHolds() && fieldEnds(text, end) ? end : 0;
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
  // 1111111111 and its like hold too, and are issued to no one.
  return !same && check !== 10 && check % 11 === digits[9];
}
