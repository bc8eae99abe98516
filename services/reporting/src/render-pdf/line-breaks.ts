/**
 * Breaks a text into lines no wider than `most`: at spaces, and inside a word only if the word alone is wider.
 * @param advance width of one character, in the unit of `most`
 */
export function breakLines(text: string, most: number, advance: (character: string) => number): string[] {
  const lines: string[] = [];
  let line = '';
  let width = 0;
  /** Position of the last space in the line, and the width up to it. */
  let space = -1;
  let widthToSpace = 0;
  for (const character of text) {
    const wide = advance(character);
    if (character !== ' ' && width + wide > most && line !== '') {
      if (space >= 0) {
        const rest = line.slice(space + 1);
        lines.push(line.slice(0, space));
        line = rest;
        width -= widthToSpace + advance(' ');
      } else {
        lines.push(line);
        line = '';
        width = 0;
      }
      space = -1;
      if (width + wide > most && line !== '') {
        lines.push(line);
        line = '';
        width = 0;
      }
    }
    if (character === ' ') {
      space = line.length;
      widthToSpace = width;
    }
    line += character;
    width += wide;
  }
  lines.push(line);
  return lines.map((one) => one.trimEnd());
}
