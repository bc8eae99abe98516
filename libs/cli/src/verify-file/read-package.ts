import { readFile, stat } from 'node:fs/promises';
import { isPdf, JsonRefused, parseJsonStrict, VERIFICATION_LIMITS, type PdfSignature } from '@countersign/evidence';
import { CommandFailed, EXIT } from '../exit-codes.js';
import { packageInPdf } from './package-in-pdf.js';

const MAX_BYTES = 64 * 1024 * 1024;
/** Allows for the pages in addition to the package: one line per event. */
const MAX_PDF_BYTES = 256 * 1024 * 1024;

export interface PdfFile {
  readonly bytes: Uint8Array;
  readonly signature: PdfSignature | null;
}

export interface ReadPackage {
  readonly value: unknown;
  readonly pdf: PdfFile | null;
}

/**
 * Reads and parses the package of a file; returns the problem as text.
 * @throws CommandFailed 64 if the file cannot be read
 */
export async function readPackage(file: string): Promise<ReadPackage | string> {
  const found = await stat(file).catch(() => null);
  if (found === null || !found.isFile()) throw new CommandFailed(EXIT.usage, `cannot read the file ${file}`);
  if (found.size > MAX_PDF_BYTES) return 'The file is larger than 256 MiB: no report is.';
  const bytes = await readFile(file);
  const carried = isPdf(bytes) ? packageInPdf(bytes) : null;
  if (typeof carried === 'string') return carried;
  const json = carried?.json ?? bytes;
  if (json.length > MAX_BYTES) return 'The package is larger than 64 MiB: none is.';
  try {
    const value = parseJsonStrict(json, VERIFICATION_LIMITS);
    return { value, pdf: carried === null ? null : { bytes, signature: carried.signature } };
  } catch (error) {
    if (error instanceof JsonRefused) return `The file is not the JSON of a package: ${error.message}.`;
    throw error;
  }
}
