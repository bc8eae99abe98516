import { fromHex } from '../encoding/hex.js';
import { utf8 } from '../encoding/text.js';

/** An object of a PDF that has the layout of issued reports. */
export interface PdfObject {
  readonly id: number;
  /** One character for each byte. */
  readonly text: string;
  /** `text` with each string as `()`: what remains are names, numbers and delimiters. */
  readonly bare: string;
  /** Bytes of its stream, not decoded. */
  readonly stream: Uint8Array | null;
}

/** The signature of a file's bytes, as written in its trailer. */
export interface PdfSignature {
  readonly keyId: string;
  readonly signature: Uint8Array;
  /** Offset of the hex digits of the signature; there are {@link PDF_SIGNATURE_DIGITS}. */
  readonly at: number;
}

/** Trailer of a file. */
export interface PdfTrailer {
  /** `null`: the file was issued before PDFs were signed, or its signature was taken out. */
  readonly signature: PdfSignature | null;
}

export const PDF_SIGNATURE_DIGITS = 128;
const HEAD = /^%PDF-1\.[3-7]\n%\xff{4}\n$/;
const STREAM = utf8('\nstream\n');
const END_OF_STREAM = '\nendstream\nendobj\n';
const END = '\nendobj\n';
const TAIL_BYTES = 64;
const ENTRY_BYTES = 20;
const XREF = /^xref\n0 (\d{1,9})\n0000000000 65535 f \n/;
const ENTRY = /^(\d{10}) 00000 n \n$/;
const TRAILER =
  /^trailer\n<<\n\/Size (\d{1,9})\n\/Root \d{1,9} 0 R\n\/Info \d{1,9} 0 R\n\/ID \[<[0-9a-fA-F]*> <[0-9a-fA-F]*>\]\n(?:\/CountersignKey \((key_[0-9a-f]{16})\)\n\/CountersignSignature <([0-9a-f]{128})>\n)?>>\nstartxref\n\d{1,10}\n%%EOF\n$/;
/**
 * Literal strings: what could end one is escaped, and so are line breaks. An unterminated one matches too, so that none
 * of it is read as something else.
 */
const STRING = /\((?:[^()\\\n\r]|\\[nrtbf()\\]){0,65536}(\))?/g;
const LENGTH = /\/Length (\d{1,10})(?![^\n>])/;
/**
 * A comment, an unterminated string, a keyword, or a name with number signs other than those of a media type. White
 * space is the six bytes of ISO 32000, not that of the regular expression.
 */
const FOREIGN =
  /[%\\]|\((?!\))|(?<!\()\)|#(?!2F)|(?<![^\x00\t\n\f\r >\])])(?:end)?(?:obj|stream)(?![^\x00\t\n\f\r <[(/])/;
const CHUNK = 8_192;

/**
 * Reads a PDF that has the layout of issued reports: every byte belongs to its head, to one object that its one table
 * names, or to that table and the trailer. So there is no second reading of it: no bytes between the objects, no newer
 * table, no objects inside of streams.
 * @param take receives each object in the order of the file
 * @returns its trailer; `null` for any other layout
 */
export function eachPdfObject(pdf: Uint8Array, take: (object: PdfObject) => void): PdfTrailer | null {
  const tableAt = Number(/\nstartxref\n(\d{1,10})\n%%EOF\n$/.exec(latin1(pdf.subarray(-TAIL_BYTES)))?.[1] ?? NaN);
  if (!Number.isSafeInteger(tableAt) || tableAt >= pdf.length) return null;
  const table = tableIn(pdf, tableAt);
  if (table === null) return null;
  const { offsets, trailer } = table;
  const inOrder = offsets.map((offset, i) => ({ id: i + 1, offset })).sort((a, b) => a.offset - b.offset);
  const first = inOrder[0]!.offset;
  if (first > TAIL_BYTES || !HEAD.test(latin1(pdf.subarray(0, first)))) return null;
  for (const [i, { id, offset }] of inOrder.entries()) {
    const end = inOrder[i + 1]?.offset ?? tableAt;
    const object = offset < end ? objectIn(pdf.subarray(offset, end), id) : null;
    if (object === null) return null;
    take(object);
  }
  return trailer;
}

interface PdfTable {
  /** Offsets of the objects, in the order of their numbers; there is at least one. */
  readonly offsets: readonly number[];
  readonly trailer: PdfTrailer;
}

/** `null` unless it is one table and one trailer to the end of the file. */
function tableIn(pdf: Uint8Array, tableAt: number): PdfTable | null {
  const table = pdf.subarray(tableAt);
  const head = XREF.exec(latin1(table.subarray(0, TAIL_BYTES)));
  if (head === null) return null;
  const count = Number(head[1]) - 1;
  const begin = head[0].length;
  const end = begin + count * ENTRY_BYTES;
  if (count < 1 || end > table.length) return null;
  const text = latin1(table.subarray(end));
  const [, size, keyId, digits] = TRAILER.exec(text) ?? [];
  if (Number(size) !== count + 1) return null;
  const offsets: number[] = [];
  for (let at = begin; at < end; at += ENTRY_BYTES) {
    const entry = ENTRY.exec(latin1(table.subarray(at, at + ENTRY_BYTES)));
    if (entry === null) return null;
    offsets.push(Number(entry[1]));
  }
  if (keyId === undefined || digits === undefined) return { offsets, trailer: { signature: null } };
  const at = tableAt + end + text.lastIndexOf(digits);
  return { offsets, trailer: { signature: { keyId, signature: fromHex(digits)!, at } } };
}

/** @param region from the object's offset in the table to the next object's */
function objectIn(region: Uint8Array, id: number): PdfObject | null {
  const head = `${id} 0 obj\n`;
  if (latin1(region.subarray(0, head.length)) !== head) return null;
  const streamAt = find(region, STREAM, head.length);
  if (streamAt < 0) {
    const end = region.length - END.length;
    if (end < head.length || latin1(region.subarray(end)) !== END) return null;
    return pdfObject(id, latin1(region.subarray(head.length, end)), null);
  }
  const text = latin1(region.subarray(head.length, streamAt));
  const begin = streamAt + STREAM.length;
  const end = begin + Number(LENGTH.exec(withoutStrings(text))?.[1] ?? NaN);
  if (!Number.isSafeInteger(end) || region.length !== end + END_OF_STREAM.length) return null;
  if (latin1(region.subarray(end)) !== END_OF_STREAM) return null;
  return pdfObject(id, text, region.subarray(begin, end));
}

function pdfObject(id: number, text: string, stream: Uint8Array | null): PdfObject | null {
  const bare = withoutStrings(text);
  return FOREIGN.test(bare) ? null : { id, text, bare, stream };
}

/** Each string as `()`, an unterminated one as `(`. */
function withoutStrings(text: string): string {
  return text.replace(STRING, (_, end: string | undefined) => (end === undefined ? '(' : '()'));
}

function find(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(wanted[0]!, from); at >= 0; at = bytes.indexOf(wanted[0]!, at + 1)) {
    if (at + wanted.length <= bytes.length && wanted.every((byte, i) => bytes[at + i] === byte)) return at;
  }
  return -1;
}

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return text;
}
