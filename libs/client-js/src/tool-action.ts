import { jsonText, type Action } from './action.js';
import { ActionDeniedError } from './action-denied.js';

/** A call of a tool, as something between a model and the tool sees it. */
export interface CalledTool {
  readonly toolName: string;
  /** The arguments. `undefined`: there are none. */
  readonly input: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** What a body of `POST /v1/check` takes, less what is not of the action. */
const MOST_BYTES = 1024 * 1024 - 1024;
/** What the service takes of one text. */
const LONGEST_TEXT_BYTES = 262_144;
/** Characters of a piece of a longer one: in UTF-8 at most 256,000 bytes. */
const PIECE = 64_000;
/** What two pieces share, so that output rules miss nothing where one ends. */
const OVERLAP = 4_000;

/** Longer ones no rule reads. */
const LONGEST_URL = 65_536;
const URL_NAME = /^(?:ur[li]|href)$/;

/**
 * The action that a call of a tool is: its name and its arguments as `payload`, in which the service looks for addresses
 * and output rules read. The argument `url`, `uri` or `href` is repeated as `url`, so that records show it where the payload
 * is not kept; it changes no verdict. A text that is longer than the service takes is the list of its pieces, and
 * `metadata.inPieces` names it.
 * @param own members that replace those; another `url` among them is the caller's word
 * @throws ActionDeniedError where the call cannot be judged, with words for the model; TypeError where the arguments have
 * no JSON form
 */
export function toolCallAction({ toolName, input, metadata }: CalledTool, own: Partial<Action> = {}): Action {
  const payload = 'payload' in own ? own.payload : input;
  const sent = jsonOf(payload);
  const url = 'url' in own ? undefined : urlArgument('payload' in own ? (jsonOrNone(input) ?? sent) : sent);
  const pieced: string[] = [];
  // No text is longer than the whole.
  const isLong = bytesOf(jsonText(sent) ?? '') > LONGEST_TEXT_BYTES;
  // Of the pieces of a JSON text the service could not read what it holds.
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

/** The first argument that is a URL by its name, in any letter case. */
function urlArgument(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  for (const [name, value] of Object.entries(input)) {
    const isText = typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_URL;
    if (isText && URL_NAME.test(name.toLowerCase().replace(/[_\-. ]/gu, ''))) return value;
  }
  return undefined;
}

/** What a JSON text holds, where that is a list or an object. */
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

/** What is sent is what is searched: also where a value makes JSON of itself, as `URL` does. */
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

/** @param pieced takes the JSON pointers of the texts that became lists */
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
  // No character takes more than three bytes for each of its units.
  return text.length * 3 <= LONGEST_TEXT_BYTES ? text.length : new TextEncoder().encode(text).length;
}
