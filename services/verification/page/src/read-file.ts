import type { PdfSignature } from './evidence.js';
import type { EvidenceLibrary } from './evidence-library.js';

const MIB = 1024 * 1024;
/** Largest package, and largest PDF around one, that this reads. */
const MAX_PACKAGE = 64 * MIB;
const MAX_PDF = 256 * MIB;

export interface ReadFile {
  readonly value: unknown;
  /** `null`: the file is the package itself. */
  readonly pdf: { readonly bytes: Uint8Array; readonly signature: PdfSignature | null } | null;
  /** SHA-256 of the file itself, lower-case hex. */
  readonly fileSha256: string;
}

/** The JSON of a file, or of the package that a PDF carries; or why there is none, in plain words. */
export async function readFile(library: EvidenceLibrary, bytes: Uint8Array): Promise<ReadFile | string> {
  const { attachedPackage, browserCrypto, isPdf, JsonRefused, parseJsonStrict, toHex, VERIFICATION_LIMITS } = library;
  if (bytes.length > MAX_PDF) return 'The file is larger than 256 MiB: no report is.';
  const carried = isPdf(bytes) ? attachedPackage(bytes) : null;
  if (typeof carried === 'string') return carried;
  const json = carried === null ? bytes : carried.deflated ? await inflate(carried.content) : carried.content;
  if (json === null) return 'The attachment of the PDF cannot be read, or is larger than 64 MiB.';
  if (json.length > MAX_PACKAGE) return 'The package is larger than 64 MiB: none is.';
  try {
    const value = parseJsonStrict(json, VERIFICATION_LIMITS);
    const pdf = carried === null ? null : { bytes, signature: carried.pdfSignature };
    return { value, pdf, fileSha256: toHex(browserCrypto.sha256(bytes)) };
  } catch (error) {
    if (error instanceof JsonRefused) return `This is not the JSON of a package: ${error.message}.`;
    throw error;
  }
}

/** `null`: no zlib stream, one with bytes after it, or more than a package may have. */
async function inflate(deflated: Uint8Array): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  const size = await inflated(deflated, (part) => parts.push(part));
  // Not every platform complains of bytes after the stream: with those it is whole without its last byte too.
  if (size === null || (await inflated(deflated.subarray(0, -1), () => undefined)) !== null) return null;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Bytes that came out; `null`: no whole zlib stream, or more than a package may have. */
async function inflated(deflated: Uint8Array, take: (part: Uint8Array) => void): Promise<number | null> {
  let size = 0;
  try {
    const stream = new Blob([deflated as Uint8Array<ArrayBuffer>]).stream();
    const reader = stream.pipeThrough(new DecompressionStream('deflate')).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return size;
      size += value.length;
      if (size > MAX_PACKAGE) {
        await reader.cancel();
        return null;
      }
      take(value);
    }
  } catch {
    return null;
  }
}
