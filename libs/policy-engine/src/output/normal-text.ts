const BEYOND_ASCII = /[^\x00-\x7f]/;
/** Zero-width characters, joiners, marks of direction, soft hyphens, variation selectors, tags. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}+/gu;
/** Combining marks in a row, and the two letters that become one (U+FF9E, U+FF9F). */
const MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;
/** White space of Unicode, U+0085 among it, that is not one space already. */
const WHITE_SPACE = /[\s\x85]{2,}|[^\S ]|\x85/g;
const FINAL_SIGMA = /ς/g;

/**
 * A text as rules read it: without characters of zero width, in NFKC. Of more than 30 combining marks in a row the rest
 * is dropped: no writing has them (UAX #15, Stream-Safe Text Format), and putting n of them into order takes n² steps.
 */
export function normalText(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  return text.replace(IGNORABLE, '').replace(MARKS, '$1').normalize('NFKC');
}

/** A text of {@link normalText} with its case folded, normal again after that, and runs of white space as one space. */
export function foldedText(normal: string): string {
  const plain = !BEYOND_ASCII.test(normal);
  const folded = plain
    ? normal.toLowerCase()
    : normal.toUpperCase().toLowerCase().replace(FINAL_SIGMA, 'σ').normalize('NFKC');
  return folded.replace(WHITE_SPACE, ' ');
}

/** Characters as Unicode counts them, a surrogate pair as one. */
export function characterCount(text: string): number {
  let count = text.length;
  if (!BEYOND_ASCII.test(text)) return count;
  for (let i = 1; i < text.length; i += 1) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800) count -= 1;
  }
  return count;
}
