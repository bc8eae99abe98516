/** Text of an agent or a user, cut and made visible: what `<Foreign>` shows. */
export interface ShownText {
  readonly text: string;
  /** Number of characters of the original, if the text was cut. */
  readonly cutFrom: number | null;
}

export const MOST_SHOWN = 2000;

/**
 * Characters that change how others look, or that are not seen: controls but line feed and tab, soft hyphen, directional
 * marks and embeddings, zero-width characters, line separators, the byte-order mark, tags.
 */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
/** A joiner between two pictographs belongs to an emoji. */
const JOINED = /\p{Extended_Pictographic}\ufe0f?[\u{1f3fb}-\u{1f3ff}]?$/u;
const PICTOGRAPH = /^\p{Extended_Pictographic}/u;

/** Shows a hidden character as its code point, `⟨U+202E⟩`, and cuts what is longer than `MOST_SHOWN` characters. */
export function shownText(original: string, most = MOST_SHOWN): ShownText {
  const points = [...original.slice(0, 2 * most + 2)];
  const isCut = original.length > 2 * most + 2 || points.length > most;
  const kept = points.slice(0, most).join('');
  const text = kept.replace(HIDDEN, (character, at: number) => {
    const joins =
      character === '\u200d' &&
      JOINED.test(kept.slice(Math.max(0, at - 4), at)) &&
      PICTOGRAPH.test(kept.slice(at + 1, at + 3));
    return joins ? character : `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
  return { text, cutFrom: isCut ? original.length : null };
}

/** A value of JSON as indented text; deeper levels than `depth` are counted. Members are read, never merged. */
export function jsonText(value: unknown, depth = 6, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const isList = Array.isArray(value);
  const members: readonly (readonly [string, unknown])[] = isList
    ? value.map((one: unknown) => ['', one] as const)
    : Object.entries(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (members.length === 0) return open + close;
  if (depth === 0) return `${open} … ${members.length} ${close}`;
  const inner = `${indent}  `;
  const lines = members.map(
    ([name, one]) => `${inner}${isList ? '' : `${JSON.stringify(name)}: `}${jsonText(one, depth - 1, inner)}`,
  );
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}
