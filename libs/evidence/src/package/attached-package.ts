import { utf8 } from '../encoding/text.js';

const HEAD = utf8('%PDF-');
const OBJECT = utf8('/Type /EmbeddedFile');
const STREAM = utf8('\nstream\n');
const END = 'endstream';

/** A file that a PDF carries. */
export interface AttachedPackage {
  readonly content: Uint8Array;
  /** `content` is a zlib stream (RFC 1950) of the file. */
  readonly deflated: boolean;
}

/** Whether a file says of itself that it is a PDF. */
export function isPdf(bytes: Uint8Array): boolean {
  return startsWith(bytes, HEAD, 0);
}

/**
 * The package that a report's PDF carries, as it lies there. It reads the files that are issued as reports, not any PDF:
 * one attachment, compressed or not, its dictionary before it.
 * @returns what is wrong, as text, where there is not exactly one attachment or it cannot be read
 */
export function attachedPackage(pdf: Uint8Array): AttachedPackage | string {
  const at = find(pdf, OBJECT, 0);
  if (at < 0) return 'The PDF has no package attached.';
  if (find(pdf, OBJECT, at + 1) >= 0) return 'The PDF has more than one attachment: which is meant is open.';
  const stream = find(pdf, STREAM, at);
  const dictionary = stream < 0 ? '' : latin1(pdf.subarray(at, stream));
  const length = Number(/\/Length (\d+)/.exec(dictionary)?.[1] ?? NaN);
  const begin = stream + STREAM.length;
  if (dictionary.includes('endobj') || !Number.isSafeInteger(length) || begin + length > pdf.length)
    return 'The attachment of the PDF cannot be read.';
  if (latin1(pdf.subarray(begin + length, begin + length + END.length + 2)).trim() !== END)
    return 'The attachment of the PDF does not end where it says.';
  return { content: pdf.subarray(begin, begin + length), deflated: dictionary.includes('/FlateDecode') };
}

function find(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(wanted[0]!, from); at >= 0; at = bytes.indexOf(wanted[0]!, at + 1)) {
    if (startsWith(bytes, wanted, at)) return at;
  }
  return -1;
}

function startsWith(bytes: Uint8Array, wanted: Uint8Array, at: number): boolean {
  return at + wanted.length <= bytes.length && wanted.every((byte, i) => bytes[at + i] === byte);
}

/** Longest dictionary that is read: those of reports have a few hundred bytes. */
const LONGEST = 4_096;

function latin1(bytes: Uint8Array): string {
  return bytes.length > LONGEST ? '' : String.fromCharCode(...bytes);
}
