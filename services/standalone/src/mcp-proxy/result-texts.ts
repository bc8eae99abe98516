import { isObject, type JsonObject } from './message.js';

/** Characters of one text to be scanned: in UTF-8 at most 240,000 bytes, below what a string of a request may have. */
export const PIECE = 80_000;
/** What two pieces share, so that nothing is missed where one ends. */
export const OVERLAP = 4_000;

/** Names that every result has: they say nothing. */
const PROTOCOL_NAMES: ReadonlySet<string> = new Set([
  ...['content', 'type', 'text', 'isError', 'structuredContent', 'annotations', 'mimeType', 'uri', 'resource', 'data'],
  ...[
    'blob',
    'name',
    'title',
    'description',
    'audience',
    'priority',
    'lastModified',
    'size',
    '_meta',
    'message',
    'code',
  ],
]);

/**
 * All that a model may read in a result, or in an error that stands for one: strings and numbers at any depth behind the names
 * of their members, a line each. Of images, sounds and binary resources what is text inside the base64.
 */
export function textOfResult(result: unknown): string {
  const lines: string[] = [];
  visit(withoutBinary(result), null, lines);
  return lines.join('\n');
}

function visit(root: unknown, rootName: string | null, lines: string[]): void {
  const left: [name: string | null, value: unknown][] = [[rootName, root]];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [name, value] = next;
    if (typeof value === 'string' || typeof value === 'number') {
      lines.push(name === null ? `${value}` : `${name}: ${value}`);
      continue;
    }
    if (name !== null) lines.push(name);
    if (Array.isArray(value)) for (const item of value.toReversed()) left.push([null, item]);
    else if (isObject(value)) {
      for (const [member, held] of Object.entries(value).toReversed()) {
        left.push([PROTOCOL_NAMES.has(member) ? null : member, held]);
      }
    }
  }
}

function withoutBinary(result: unknown): unknown {
  if (!isObject(result) || !Array.isArray(result['content'])) return result;
  return { ...result, content: result['content'].map((block: unknown) => (isObject(block) ? readable(block) : block)) };
}

function readable(block: JsonObject): JsonObject {
  const { type, data, resource } = block;
  if ((type === 'image' || type === 'audio') && typeof data === 'string') return { ...block, data: textInside(data) };
  if (type === 'resource' && isObject(resource) && typeof resource['blob'] === 'string') {
    return { ...block, resource: { ...resource, blob: textInside(resource['blob']) } };
  }
  return block;
}

/** The text that base64 stands for; what is no base64 as it is; nothing of what is no text. */
function textInside(encoded: string): string {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/u.test(encoded)) return encoded;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    return '';
  }
}

/** The text in pieces that a request can carry. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from === 0 || from + OVERLAP < text.length; from += PIECE - OVERLAP) {
    // Half of a pair, at the end of a piece or in what came, is no text that a request may carry.
    pieces.push(text.slice(from, from + PIECE).replace(/\p{Surrogate}/gu, '\uFFFD'));
  }
  return pieces;
}
