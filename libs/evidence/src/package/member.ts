import { utf8 } from '../encoding/text.js';
import { canonicalize, quote } from '../json/canonicalize.js';

/**
 * One member of a package in its canonical form, in pieces. A package is large in its lists: their entries are
 * canonicalized a few at a time, so that no string as long as the whole is built.
 */
export interface Member {
  readonly name: string;
  /** `"name":value` in UTF-8. */
  readonly pieces: readonly Uint8Array[];
}

/** Characters at which a piece is closed. */
const PIECE = 64 * 1024;

const OPEN = utf8('{');
const CLOSE = utf8('}');
const COMMA = utf8(',');

/** @throws NotCanonical where the value has no canonical form */
export function memberOf(name: string, value: unknown): Member {
  const head = `${quote(name)}:`;
  if (!Array.isArray(value)) return { name, pieces: [utf8(head + canonicalize(value))] };
  const pieces: Uint8Array[] = [];
  let text = `${head}[`;
  value.forEach((entry: unknown, i) => {
    text += (i === 0 ? '' : ',') + canonicalize(entry);
    if (text.length < PIECE) return;
    pieces.push(utf8(text));
    text = '';
  });
  return { name, pieces: [...pieces, utf8(`${text}]`)] };
}

/** The canonical object of these members, in any order. */
export function* piecesOf(members: readonly Member[]): Generator<Uint8Array> {
  const sorted = [...members].sort((a, b) => (a.name < b.name ? -1 : 1));
  let before = OPEN;
  for (const { pieces } of sorted) {
    yield before;
    yield* pieces;
    before = COMMA;
  }
  if (before === OPEN) yield OPEN;
  yield CLOSE;
}

/** Bytes of the canonical object of these members. */
export function lengthOf(members: readonly Member[]): number {
  let length = 0;
  for (const piece of piecesOf(members)) length += piece.length;
  return length;
}

/** The canonical object of these members, whole. */
export function joined(members: readonly Member[]): Uint8Array {
  const bytes = new Uint8Array(lengthOf(members));
  let at = 0;
  for (const piece of piecesOf(members)) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
