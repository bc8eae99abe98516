import { inflateSync } from 'node:zlib';
import { attachedPackage, type PdfSignature } from '@countersign/evidence';

/** Largest package that is taken out of a PDF, bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** With `info`, which the types of Node leave out. */
interface Inflated {
  readonly buffer: Buffer;
  /** `bytesWritten`: bytes of the stream, to its checksum. */
  readonly engine: { readonly bytesWritten: number };
}

/** What a report's PDF carries. */
export interface PdfContent {
  readonly json: Uint8Array;
  readonly signature: PdfSignature | null;
}

/**
 * The package that a report's PDF carries.
 * @returns what is wrong, as text, where there is not exactly one attachment or it cannot be read
 */
export function packageInPdf(pdf: Uint8Array): PdfContent | string {
  const found = attachedPackage(pdf);
  if (typeof found === 'string') return found;
  const { content, deflated, pdfSignature: signature } = found;
  if (!deflated) return { json: content, signature };
  try {
    const { buffer, engine } = inflateSync(content, {
      maxOutputLength: MAX_BYTES,
      info: true,
    }) as unknown as Inflated;
    if (engine.bytesWritten !== content.length) return 'The attachment of the PDF has more bytes than its zlib stream.';
    return { json: buffer, signature };
  } catch {
    return 'The attachment of the PDF cannot be read, or is larger than 64 MiB.';
  }
}
