/** Characters that move the cursor, change the direction of text, or are not visible. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Untrusted text in one line, whole: what a terminal would obey or hide is written as `\u` and four digits. */
export function visible(text: string): string {
  return text.replace(UNSEEN, escaped);
}

/** The JSON of a value in lines, whole. It is the same value as JSON; strings that break lines are escaped. */
export function visibleJson(value: unknown): string {
  // JSON.stringify has escaped the line breaks in strings: those that are left are between members.
  const lines = JSON.stringify(value, null, 2).split('\n');
  return lines.map(visible).join('\n');
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
