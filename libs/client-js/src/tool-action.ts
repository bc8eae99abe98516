import { jsonText, type Action } from './action.js';
import { ActionDeniedError } from './action-denied.js';

/** A call of a tool, between the model and the tool. */
export interface CalledTool {
  readonly toolName: string;
  /** The arguments; `undefined` if there are none. */
  readonly input: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Maximum size of a body of `POST /v1/check`, less the members outside of the action. */
const MOST_BYTES = 1024 * 1024 - 1024;
/** Maximum size of one text in the service. */
const LONGEST_TEXT_BYTES = 262_144;
/** Characters of a piece of a longer text: in UTF-8 at most 256,000 bytes. */
const PIECE = 64_000;
/** Overlap of two pieces, so that output rules miss nothing at the boundary. */
const OVERLAP = 4_000;

/** Rules ignore longer URLs. */
const LONGEST_URL = 65_536;
const URL_NAME = /^(?:ur[li]|href)$/;

/**
 * The action of a tool call: its name, and its arguments as `payload`, in which the service looks for addresses and which
 * output rules read. The argument `url`, `uri` or `href` is repeated as `url`, so that records show it even if the payload is
 * not stored; it does not change the decision. A text that is too long for the service becomes the list of its pieces, and
 * `metadata.inPieces` names it.
 * @param own members that replace those; a `url` among them is taken from the caller
 * @throws ActionDeniedError if the call cannot be judged, with a message for the model; TypeError if the arguments have no
 * JSON form
 */
export function toolCallAction({ toolName, input, metadata }: CalledTool, own: Partial<Action> = {}): Action {
  const payload = 'payload' in own ? own.payload : input;
  const sent = jsonOf(payload);
  const url = 'url' in own ? undefined : urlArgument('payload' in own ? (jsonOrNone(input) ?? sent) : sent);
  const pieced: string[] = [];
  // No text is longer than the whole payload.
  const isLong = bytesOf(jsonText(sent) ?? '') > LONGEST_TEXT_BYTES;
  // The service could not parse JSON text in pieces, so its value is sent.
  const read = isLong && typeof sent === 'string' ? (held(sent) ?? sent) : sent;
  const inList = isLong ? inPieces(read, '', pieced) : read;
  const whole = pieced.length === 0 && read === sent ? payload : inList;
  const base = 'metadata' in own ? own.metadata : metadata;
  const known = pieced.length === 0 ? base : { ...base, inPieces: pieced };
  const action: Action = {
    actionType: 'tool_use',
    toolName,
    ...(url === undefined ? {} : { url }),
    ...own,
    ...(whole === undefined ? {} : { payload: whole }),
    ...(known === undefined ? {} : { metadata: known }),
  };
  const bytes = bytesOf(jsonText(action) ?? '');
  if (bytes > MOST_BYTES) {
    throw notJudged(
      `its arguments take ${bytes} bytes, and a check takes ${MOST_BYTES}: call it several times with less`,
    );
  }
  return action;
}

/** The first argument whose name says that it is a URL, in any letter case. */
function urlArgument(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  for (const [name, value] of Object.entries(input)) {
    const isText = typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_URL;
    if (isText && URL_NAME.test(name.toLowerCase().replace(/[_\-. ]/gu, ''))) return value;
  }
  return undefined;
}

/** The value of JSON text if it is a list or an object. */
function held(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function notJudged(reason: string): ActionDeniedError {
  return new ActionDeniedError({ allowed: false, reason, severity: 'P1', violations: ['invalid_request'] });
}

/** The value as it will be sent: values may have a JSON form of their own, as `URL` does. */
function jsonOf(value: unknown): unknown {
  const text = jsonText(value);
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}

function jsonOrNone(value: unknown): unknown {
  try {
    return jsonOf(value);
  } catch {
    return undefined;
  }
}

/** @param pieced receives the JSON pointers of the texts that became lists */
function inPieces(value: unknown, place: string, pieced: string[]): unknown {
  if (typeof value === 'string') {
    if (bytesOf(value) <= LONGEST_TEXT_BYTES) return value;
    pieced.push(place);
    return piecesOf(value);
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(
    ([name, held]) =>
      [name, inPieces(held, `${place}/${name.replace(/~/gu, '~0').replace(/\//gu, '~1')}`, pieced)] as const,
  );
  return Array.isArray(value) ? entries.map(([, held]) => held) : Object.fromEntries(entries);
}

function piecesOf(text: string): string[] {
  const characters = [...text];
  const pieces: string[] = [];
  for (let from = 0; from === 0 || from + OVERLAP < characters.length; from += PIECE - OVERLAP) {
    pieces.push(characters.slice(from, from + PIECE).join(''));
  }
  return pieces;
}

function bytesOf(text: string): number {
  // A UTF-16 code unit takes at most three bytes.
  return text.length * 3 <= LONGEST_TEXT_BYTES ? text.length : new TextEncoder().encode(text).length;
}
