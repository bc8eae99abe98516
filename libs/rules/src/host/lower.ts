/**
 * A text in lower case, code point by code point by the simple mapping of Unicode (UnicodeData.txt): independent of
 * language and of the letters around it.
 */
export function lower(text: string): string {
  // The only letter whose lower case has several characters is U+0130; the only one that looks around itself is U+03A3.
  return text.replaceAll('\u0130', 'i').replaceAll('\u03a3', '\u03c3').toLowerCase();
}

const WORD = /[\p{L}\p{M}\p{N}_]+/gu;

/**
 * The words of a text in order, in lower case: runs of letters, marks, digits and underscores. `null` if there are more
 * than `most`.
 */
export function words(text: string, most: number): readonly string[] | null {
  const found: string[] = [];
  for (const [word] of lower(text).matchAll(WORD)) {
    if (found.length === most) return null;
    found.push(word);
  }
  return found;
}
