import { inflateSync } from 'node:zlib';
import { attachedPackage, type PdfSignature } from '@countersign/evidence';

/** Largest package that is extracted from a PDF, bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** With `info`, which the types of Node omit. */
interface Inflated {
  readonly buffer: Buffer;
  /** `bytesWritten`: bytes of the stream, up to its checksum. */
  readonly engine: { readonly bytesWritten: number };
}

/** Contents of a report's PDF. */
export interface PdfContent {
  readonly json: Uint8Array;
  readonly signature: PdfSignature | null;
}

/**
 * Extracts the package of a report's PDF.
 * @returns the problem as text if there is not exactly one readable attachment
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
