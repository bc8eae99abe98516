/**
 * The part of Structured Fields (RFC 9651) that a signature of the profile in `read-signature.ts` needs. Each reading is one pass
 * over a bounded text, by expressions that match from a position on and cannot fall back.
 */

/** Most characters of a header that is read. */
const MOST_CHARACTERS = 4096;
const MOST_COMPONENTS = 32;

const KEY = '[a-z*][a-z0-9_.*-]*';
const BYTES_MEMBER = new RegExp(`^(${KEY})=:([A-Za-z0-9+/]*={0,2}):$`);
const LABEL = new RegExp(`(${KEY})=\\(`, 'y');
const SPACES = / */y;
/** A component without parameters. */
const COMPONENT = /"([a-z0-9@!#$%&'*+.^_`|~-]+)"/y;
const PARAMETER = new RegExp(`; *(${KEY})=(?:(0|[1-9][0-9]{0,14})|("(?:[ !#-\\[\\]-~]|\\\\["\\\\])*"))`, 'y');

/** The value of `Signature-Input`, with its one signature. */
export interface SignatureInput {
  readonly label: string;
  readonly components: readonly string[];
  /** Whole numbers and texts. */
  readonly parameters: ReadonlyMap<string, number | string>;
  /** As it is serialized, which is what `@signature-params` covers. */
  readonly text: string;
}

/** A dictionary of byte sequences; `null`: it is none. */
export function readByteDictionary(text: string): ReadonlyMap<string, Buffer> | null {
  if (text.length > MOST_CHARACTERS) return null;
  const members = new Map<string, Buffer>();
  // No byte sequence has a comma.
  for (const member of text.split(',')) {
    const found = BYTES_MEMBER.exec(member.trim());
    if (found === null || members.has(found[1]!)) return null;
    members.set(found[1]!, Buffer.from(found[2]!, 'base64'));
  }
  return members;
}

/** `null`: it is not the input of exactly one signature, or has something that the profile does not know. */
export function readSignatureInput(given: string): SignatureInput | null {
  if (given.length > MOST_CHARACTERS) return null;
  const text = given.trim();
  const scan = new Scan(text);
  const label = scan.take(LABEL)?.[1];
  if (label === undefined) return null;
  const components: string[] = [];
  for (;;) {
    const isSeparated = scan.take(SPACES)![0].length > 0 || components.length === 0;
    if (text[scan.at] === ')') break;
    const component = isSeparated ? scan.take(COMPONENT)?.[1] : undefined;
    if (component === undefined || components.includes(component) || components.length >= MOST_COMPONENTS) return null;
    components.push(component);
  }
  scan.at += 1;
  const parameters = new Map<string, number | string>();
  let serialized = `(${components.map((component) => `"${component}"`).join(' ')})`;
  while (scan.at < text.length) {
    const [, name, number, string] = scan.take(PARAMETER) ?? [];
    if (name === undefined || parameters.has(name)) return null;
    parameters.set(name, number === undefined ? unquoted(string!) : Number(number));
    serialized += `;${name}=${number ?? string!}`;
  }
  return { label, components, parameters, text: serialized };
}

class Scan {
  at = 0;

  constructor(private readonly text: string) {}

  take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text);
    if (found !== null) this.at = expression.lastIndex;
    return found;
  }
}

function unquoted(string: string): string {
  return string.slice(1, -1).replace(/\\(["\\])/g, '$1');
}
