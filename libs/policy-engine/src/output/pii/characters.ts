export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

export const isLetter = (code: number): boolean => (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);

/** ASCII letters and digits. `NaN`, the end of a text, is not one. */
export const isAlphanumeric = (code: number): boolean => isDigit(code) || isLetter(code);

export const isHexDigit = (code: number): boolean =>
  isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);

/** End of a run of such characters that begins at `from`, after at most `most` characters. */
export function runEnd(text: string, from: number, most: number, belongs: (code: number) => boolean): number {
  const limit = Math.min(text.length, from + most);
  let at = from;
  while (at < limit && belongs(text.charCodeAt(at))) at += 1;
  return at;
}
