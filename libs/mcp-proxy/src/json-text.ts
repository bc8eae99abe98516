/**
 * A JSON value and the text that stands for it wherever it is sent on. The text is the one that came, byte for byte, where
 * every reader reads the same in it: no name twice in an object, and nothing that some readers of lines take for the end of one.
 * Else it is the value written anew, so that what was judged is what is executed.
 */
export interface JsonText {
  readonly value: unknown;
  readonly text: string;
}

/** @throws SyntaxError where it is no JSON; RangeError where it is nested too deeply to be written anew */
export function readJson(text: string): JsonText {
  const value: unknown = JSON.parse(text);
  const plain = !text.includes('\r') && countNames(text) === countMembers(value);
  return { value, text: oneLine(plain ? text : JSON.stringify(value)) };
}

/** As Python and some versions of Node cut lines; in JSON they stand in strings and names alone. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

function oneLine(text: string): string {
  return text.replace(LINE_ENDS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Names of members in a text that is JSON, also those that another of the same name replaces. */
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

/** @param start where its quotation mark stands */
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
 * An object without its members of this name; the others stay as they are written.
 * @param text an object that is JSON
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

/** Whether a number in it has no JSON form, as what `1e999` is read as. */
export function holdsInfinity(value: unknown): boolean {
  const isInfinite = (member: unknown): boolean => typeof member === 'number' && !Number.isFinite(member);
  let found = isInfinite(value);
  visit(value, (node) => {
    found ||= Object.values(node).some(isInfinite);
  });
  return found;
}

/** Every object and array of a value, itself included. */
function visit(value: unknown, see: (node: object) => void): void {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const node = left.pop();
    if (typeof node !== 'object' || node === null) continue;
    see(node);
    for (const member of Object.values(node)) if (typeof member === 'object') left.push(member);
  }
}
