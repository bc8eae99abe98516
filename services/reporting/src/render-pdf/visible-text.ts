/**
 * Characters that are drawn unchanged, if the font has them: scripts that read from the left without
 * joining or reordering. All other characters of a customer's text are shown by their code points, so that none vanishes,
 * reorders the surrounding text, or passes for another character.
 */
const PLAIN =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Common}]$/u;
/** Controls, format characters (bidi overrides among them), separators but the space, marks, and non-characters. */
const HIDDEN = /^[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Zs}\p{M}]$/u;

/** Tests if a font has a glyph for a code point. */
export type Coverage = (codePoint: number) => boolean;

/** `⟨U+202E⟩`. */
function codePointName(codePoint: number): string {
  return `\u27e8U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
}

/**
 * A customer's text as the document shows it, on one line: in normal form C, with characters that cannot be drawn replaced
 * by their code points, and cut after `limit` characters with the number of omitted ones.
 */
export function visibleText(text: string, limit: number, has: Coverage): string {
  const ascii = /^[\x20-\x7e]*$/.test(text);
  if (ascii && text.length <= limit) return text;
  let shown = '';
  let count = 0;
  let left = 0;
  for (const character of ascii ? text : text.normalize('NFC')) {
    count += 1;
    if (count > limit) left += 1;
    else shown += visibleCharacter(character, has);
  }
  return left === 0 ? shown : `${shown} … (${left} more characters)`;
}

function visibleCharacter(character: string, has: Coverage): string {
  if (character >= ' ' && character <= '~') return character;
  const codePoint = character.codePointAt(0)!;
  return PLAIN.test(character) && !HIDDEN.test(character) && has(codePoint) ? character : codePointName(codePoint);
}
