import type { Sha256 } from '../crypto.js';
import { toHex } from '../encoding/hex.js';
import { utf8 } from '../encoding/text.js';
import { PDF_SIGNATURE_DIGITS, type PdfSignature } from './pdf-layout.js';

const ZERO = '0'.charCodeAt(0);
const TAIL_BYTES = 64;
/** The trailer takes the signature in front of this end: no offset in the file points behind it. */
const TAIL = /\n>>\nstartxref\n\d{1,10}\n%%EOF\n$/;

/** A PDF with room for its signature. */
export interface UnsignedPdf {
  /** The whole file, its signature all zeros. */
  readonly bytes: Uint8Array;
  /** The message that the key signs. */
  readonly message: Uint8Array;
  /** Puts the signature into `bytes`, in place. */
  readonly sign: (signature: Uint8Array) => Uint8Array;
}

/**
 * The signed message of a PDF: the name of the format, the key, and the hash of the file with zeros for the signature's
 * digits. No package begins like it.
 */
export function pdfMessage(
  pdf: Uint8Array,
  { keyId, at }: Pick<PdfSignature, 'keyId' | 'at'>,
  sha256: Sha256,
): Uint8Array {
  const unsigned = new Uint8Array(pdf);
  unsigned.fill(ZERO, at, at + PDF_SIGNATURE_DIGITS);
  return utf8(`countersign/1 pdf key=${keyId} sha256=${toHex(sha256(unsigned))}`);
}

/**
 * Makes room for a signature in the trailer of a PDF that has none.
 * @throws RangeError where the file does not end as pdfkit ends one
 */
export function withPdfSignature(pdf: Uint8Array, keyId: string, sha256: Sha256): UnsignedPdf {
  const end = String.fromCharCode(...pdf.subarray(-TAIL_BYTES));
  const tail = TAIL.exec(end);
  if (tail === null) throw new RangeError('the PDF has no trailer that takes a signature');
  const insertAt = Math.max(pdf.length - TAIL_BYTES, 0) + tail.index + 1;
  const head = utf8(`/CountersignKey (${keyId})\n/CountersignSignature <`);
  const at = insertAt + head.length;
  const slot = utf8(`${'0'.repeat(PDF_SIGNATURE_DIGITS)}>\n`);
  const bytes = new Uint8Array(pdf.length + head.length + slot.length);
  bytes.set(pdf.subarray(0, insertAt));
  bytes.set(head, insertAt);
  bytes.set(slot, at);
  bytes.set(pdf.subarray(insertAt), at + slot.length);
  return {
    bytes,
    message: pdfMessage(bytes, { keyId, at }, sha256),
    sign: (signature) => {
      bytes.set(utf8(toHex(signature)), at);
      return bytes;
    },
  };
}
