import { normalText } from './normal-text.js';

/** HTML references (section 13.5) that denote separators or joiners, not letters. */
const REFERENCES: Readonly<Record<string, string>> = {
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
  numsp: ' ',
  tab: '\t',
  newline: '\n',
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  commat: '@',
  period: '.',
  colon: ':',
  equals: '=',
  plus: '+',
  num: '#',
  sol: '/',
  lowbar: '_',
  hyphen: '-',
  dash: '-',
  ndash: '-',
  mdash: '-',
  shy: '',
  zwnj: '',
  zwj: '',
};

/** Elements within a word. Others separate words. */
const WITHIN_WORDS: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strong strike sub sup tt u var wbr'.split(
    ' ',
  ),
);

const MARKUP = new RegExp(
  [
    // References: of a character by its number, or by name.
    '&(?:#(?<decimal>\\d{1,7})|#x(?<hex>[\\da-f]{1,6})|(?<name>[a-z]{2,8}));',
    // Percent-encoded UTF-8 (RFC 3986 section 2.1).
    '(?<bytes>%[0-7][\\da-f]|%[cd][\\da-f]%[89ab][\\da-f]|%e[\\da-f](?:%[89ab][\\da-f]){2}|%f[0-4](?:%[89ab][\\da-f]){3})',
    // Escapes of JSON, of programming languages and of markdown.
    '\\\\(?:u(?<unit>[\\da-f]{4})|(?<control>[nrt])|(?<sign>[!-/:-@[-`{-~]))',
    '<!--.{0,64}?-->',
    '</?(?<tag>[a-z][a-z0-9]{0,15})(?=[\\s/>])[^<>]{0,256}>',
    // Marks of markdown.
    '(?<marks>[*`~]+|__+)',
  ].join('|'),
  'gi',
);

/** The first characters of any of these. */
const BEGINS = /[&%\\<*`~]|__/;

interface Groups {
  readonly decimal?: string;
  readonly hex?: string;
  readonly name?: string;
  readonly bytes?: string;
  readonly unit?: string;
  readonly control?: string;
  readonly sign?: string;
  readonly tag?: string;
  readonly marks?: string;
}

/**
 * A text of `normalText` as it is displayed: references of HTML, percent encoding and escapes decoded once, without
 * marks of markdown, elements of HTML removed, or as white space where they separate words. `null`: the text is
 * unchanged.
 */
export function plainText(normal: string): string | null {
  if (!BEGINS.test(normal)) return null;
  const plain = normal.replace(MARKUP, (match: string, ...rest: unknown[]) => {
    const at = rest[rest.length - 3] as number;
    return replacement(match, rest[rest.length - 1] as Groups, normal, at);
  });
  return plain === normal ? null : normalText(plain);
}

function replacement(match: string, groups: Groups, text: string, at: number): string {
  const { decimal, hex, name, bytes, unit, control, sign, tag, marks } = groups;
  if (marks !== undefined) return marks === '*' && isProduct(text, at) ? match : '';
  if (tag !== undefined) return WITHIN_WORDS.has(tag.toLowerCase()) ? '' : '\t';
  if (sign !== undefined) return sign;
  if (control !== undefined) return control.toLowerCase() === 't' ? '\t' : '\n';
  if (bytes !== undefined) return characterOf(codePointOf(bytes));
  if (decimal !== undefined) return characterOf(Number.parseInt(decimal, 10));
  const number = hex ?? unit;
  if (number !== undefined) return characterOf(Number.parseInt(number, 16));
  return name === undefined ? '' : (REFERENCES[name.toLowerCase()] ?? match);
}

/** One star between two digits multiplies. */
function isProduct(text: string, at: number): boolean {
  return /\d/.test(text.charAt(at - 1)) && /\d/.test(text.charAt(at + 1));
}

/** Of percent-encoded UTF-8 in one of its forms. */
function codePointOf(encoded: string): number {
  const bytes = encoded
    .slice(1)
    .split('%')
    .map((byte) => Number.parseInt(byte, 16));
  const [first = 0, ...others] = bytes;
  const begin = others.length === 0 ? first : first & (0x3f >> others.length);
  return others.reduce((point, byte) => (point << 6) | (byte & 0x3f), begin);
}

/** A space for what is not a character, so that separate words stay separate. */
function characterOf(point: number): string {
  return point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff) ? ' ' : String.fromCodePoint(point);
}
