/**
 * A JSON value and the text that is forwarded for it. The text is the received one, byte for byte, if every reader
 * parses it alike: no duplicate names in an object, and nothing that some line readers take for a line end.
 * Otherwise the value is serialized again, so that what was judged is what is executed.
 */
export interface JsonText {
  readonly value: unknown;
  readonly text: string;
}

/** @throws SyntaxError if it is not JSON; RangeError if it is nested too deeply to be serialized */
export function readJson(text: string): JsonText {
  const value: unknown = JSON.parse(text);
  const plain = !text.includes('\r') && countNames(text) === countMembers(value);
  return { value, text: oneLine(plain ? text : JSON.stringify(value)) };
}

/** Line ends of Python and some versions of Node; in JSON they occur only in strings and names. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

function oneLine(text: string): string {
  return text.replace(LINE_ENDS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Counts the member names in JSON text, including duplicates. */
function countNames(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at)) {
    at = endOfString(text, at);
    let after = at;
    while (isSpace(text.charCodeAt(after))) after += 1;
    if (text[after] === ':') count += 1;
  }
  return count;
}

/** @param start position of its opening quotation mark */
export function endOfString(text: string, start: number): number {
  let end = start + 1;
  for (;;) {
    end = text.indexOf('"', end);
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    end += 1;
    if (backslashes % 2 === 0) return end;
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function countMembers(value: unknown): number {
  let count = 0;
  visit(value, (node) => {
    if (!Array.isArray(node)) count += Object.keys(node).length;
  });
  return count;
}

/**
 * Removes the members of this name from an object; the others keep their text.
 * @param text a JSON object
 */
export function withoutMember(text: string, name: string): string {
  const members: string[] = [];
  let depth = 0;
  let from = text.indexOf('{') + 1;
  for (let at = from - 1; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') at = endOfString(text, at) - 1;
    else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') depth -= 1;
    if (!(sign === ',' && depth === 1) && !(sign === '}' && depth === 0)) continue;
    members.push(text.slice(from, at));
    from = at + 1;
  }
  return `{${members.filter((member) => nameOf(member) !== name).join(',')}}`;
}

function nameOf(member: string): string {
  const start = member.indexOf('"');
  return JSON.parse(member.slice(start, endOfString(member, start))) as string;
}

/** True if it contains a number without a JSON form, such as the value of `1e999`. */
export function holdsInfinity(value: unknown): boolean {
  const isInfinite = (member: unknown): boolean => typeof member === 'number' && !Number.isFinite(member);
  let found = isInfinite(value);
  visit(value, (node) => {
    found ||= Object.values(node).some(isInfinite);
  });
  return found;
}

/** Visits every object and array of a value, including the value. */
function visit(value: unknown, see: (node: object) => void): void {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const node = left.pop();
    if (typeof node !== 'object' || node === null) continue;
    see(node);
    for (const member of Object.values(node)) if (typeof member === 'object') left.push(member);
  }
}
