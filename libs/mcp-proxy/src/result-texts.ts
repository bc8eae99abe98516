import { isObject, type JsonObject } from './message.js';

/** Characters of one scanned text: in UTF-8 at most 240,000 bytes, below the limit for strings of a request. */
export const PIECE = 80_000;
/** Overlap of two pieces, so that nothing is missed at a boundary. */
export const OVERLAP = 4_000;

/** Member names of every result; they carry no information. */
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
    'contents',
    'messages',
    'tools',
    'result',
    'error',
    'params',
    'progressToken',
    'cursor',
    'nextCursor',
  ],
]);

const NONE: ReadonlySet<string> = new Set();
/** Members of a JSON schema: the bounds of 32-bit integers look like telephone numbers. */
export const SCHEMA_BOUNDS: ReadonlySet<string> = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...['minItems', 'maxItems', 'minProperties', 'maxProperties'],
]);

/** Methods of a server and of its answers; they carry no information. */
const PROTOCOL_METHODS: ReadonlySet<unknown> = new Set([
  ...['notifications/message', 'notifications/progress', 'notifications/cancelled', 'notifications/tasks/status'],
  ...['notifications/tools/list_changed', 'notifications/prompts/list_changed', 'notifications/resources/list_changed'],
  ...['notifications/resources/updated', 'notifications/elicitation/complete'],
  ...['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'],
  ...['ping', 'roots/list', 'sampling/createMessage', 'elicitation/create'],
]);

/**
 * Everything that a model may read in a message of a server: strings and numbers at any depth after their member names, one
 * per line, without the protocol's own version, method name and id. For images, sounds and binary resources, the text
 * inside the base64.
 * @param unread names of members whose numbers carry no information
 */
export function textOfMessage(message: JsonObject, unread: ReadonlySet<string> = NONE): string {
  const { jsonrpc, id, method, result, params, ...more } = message;
  const lines: string[] = [];
  visit(
    {
      ...(jsonrpc === '2.0' || jsonrpc === undefined ? {} : { jsonrpc }),
      ...(method !== undefined && typeof id === 'string' ? { id } : {}),
      ...(method === undefined || PROTOCOL_METHODS.has(method) ? {} : { method }),
      ...{ result: withoutBinary(result), params: withoutBinary(params) },
      ...more,
    },
    unread,
    lines,
  );
  return lines.join('\n');
}

function visit(root: unknown, unread: ReadonlySet<string>, lines: string[]): void {
  const left: [name: string | null, value: unknown][] = [[null, root]];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [name, value] = next;
    if (value === undefined || (typeof value === 'number' && name !== null && unread.has(name))) continue;
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

/** An object with content blocks in one of the members that the protocol defines for them, without base64 data. */
function withoutBinary(held: unknown): unknown {
  if (!isObject(held)) return held;
  const { content, contents, messages } = held;
  return {
    ...held,
    ...(content === undefined ? {} : { content: blocks(content) }),
    ...(Array.isArray(contents) ? { contents: contents.map(readableResource) } : {}),
    ...(Array.isArray(messages) ? { messages: messages.map(withoutBinary) } : {}),
  };
}

function blocks(content: unknown): unknown {
  return Array.isArray(content) ? content.map(readable) : readable(content);
}

function readable(block: unknown): unknown {
  if (!isObject(block)) return block;
  const { type, data, resource, content } = block;
  if ((type === 'image' || type === 'audio') && typeof data === 'string') return { ...block, data: textInside(data) };
  if (type === 'resource') return { ...block, resource: readableResource(resource) };
  return type === 'tool_result' ? { ...block, content: blocks(content) } : block;
}

function readableResource(resource: unknown): unknown {
  if (!isObject(resource) || typeof resource['blob'] !== 'string') return resource;
  return { ...resource, blob: textInside(resource['blob']) };
}

/**
 * Shorter runs of characters are not text in mostly binary data: random bytes hold 6,000 characters a megabyte in runs of
 * 8 and more, 20 in runs of 16 and more, and none of 24.
 */
const SHORTEST_RUN = 24;
/** For mostly textual data: binary data never has this share of characters in runs of this length. */
const SHORTEST_OF_TEXT = 8;
const SHARE_OF_TEXT = 0.5;

/** The text in base64 data; data that is not strictly base64 is included unchanged as well. */
function textInside(encoded: string): string {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/u.test(encoded)) {
    return `${encoded}\n${decoded(encoded.replace(/[^A-Za-z0-9+/_-]+/gu, ''))}`;
  }
  return decoded(encoded);
}

function decoded(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const text = bytes.toString('utf8');
    const runs = text.split(/[\uFFFD\0-\x08\x0E-\x1F\x7F]+/u);
    const inRuns = runs.reduce((sum, { length }) => sum + (length >= SHORTEST_OF_TEXT ? length : 0), 0);
    if (inRuns >= text.length * SHARE_OF_TEXT) return runs.join(' ');
    return runs.filter(({ length }) => length >= SHORTEST_RUN).join('\n');
  }
}

/** Splits the text into pieces that a request can carry. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from === 0 || from + OVERLAP < text.length; from += PIECE - OVERLAP) {
    // A request may not carry a lone surrogate, at the end of a piece or in the input.
    pieces.push(text.slice(from, from + PIECE).replace(/\p{Surrogate}/gu, '\uFFFD'));
  }
  return pieces;
}
