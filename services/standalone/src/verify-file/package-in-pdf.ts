import { inflateSync } from 'node:zlib';

/** Largest package that is taken out of a PDF, bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
const HEAD = Buffer.from('%PDF-');
const OBJECT = Buffer.from('/Type /EmbeddedFile');
const STREAM = Buffer.from('\nstream\n');
const END = Buffer.from('endstream');

/** Whether a file says of itself that it is a PDF. */
export function isPdf(bytes: Uint8Array): boolean {
  return HEAD.equals(bytes.subarray(0, HEAD.length));
}

/**
 * The package that a report's PDF carries. It reads the files that are issued as reports, not any PDF: one attachment,
 * compressed or not, its dictionary before it.
 * @returns what is wrong, as text, where there is not exactly one attachment or it cannot be read
 */
export function packageInPdf(pdf: Buffer): Buffer | string {
  const at = pdf.indexOf(OBJECT);
  if (at < 0) return 'The PDF has no package attached.';
  if (pdf.indexOf(OBJECT, at + 1) >= 0) return 'The PDF has more than one attachment: which is meant is open.';
  const stream = pdf.indexOf(STREAM, at);
  const dictionary = stream < 0 ? '' : pdf.toString('latin1', at, stream);
  const length = Number(/\/Length (\d+)/.exec(dictionary)?.[1] ?? NaN);
  const begin = stream + STREAM.length;
  if (dictionary.includes('endobj') || !Number.isSafeInteger(length) || begin + length > pdf.length)
    return 'The attachment of the PDF cannot be read.';
  if (pdf.toString('latin1', begin + length, begin + length + END.length + 2).trim() !== END.toString())
    return 'The attachment of the PDF does not end where it says.';
  const content = pdf.subarray(begin, begin + length);
  if (!dictionary.includes('/FlateDecode')) return content;
  try {
    return inflateSync(content, { maxOutputLength: MAX_BYTES });
  } catch {
    return 'The attachment of the PDF cannot be read, or is larger than 64 MiB.';
  }
}
