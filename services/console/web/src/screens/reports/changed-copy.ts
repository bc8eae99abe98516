/** The member whose first digit is changed: the hash of the canonical package. */
const HASH = /("sha256":\s*")([0-9a-f])/;

/**
 * A copy of a package in which one character differs: the last digit of the first number in its events, or, where it has
 * none, the first of its hash. For a reader who wants to see that a changed report is refused.
 */
export async function changedCopy(report: Blob): Promise<Blob> {
  const text = await report.text();
  const sequence = /("sequence":\s*\d*)(\d)/;
  const pattern = sequence.test(text) ? sequence : HASH;
  return new Blob([text.replace(pattern, (_all, before: string, digit: string) => before + other(digit))]);
}

function other(digit: string): string {
  return digit === '7' ? '8' : '7';
}
