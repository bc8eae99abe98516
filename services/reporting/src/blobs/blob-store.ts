/** Bodies of reports, addressed by a hash. Several instances may share them. */
export interface BlobStore {
  /**
   * Stores a blob. Complete and durable when it resolves, absent otherwise: readers never see a part. Storing the same
   * name again changes nothing.
   */
  put(name: string, chunks: Iterable<string | Uint8Array>): Promise<void>;
  /** `null` if there is none. */
  get(name: string): Promise<Buffer | null>;
  remove(name: string): Promise<void>;
  /** Names stored before this time, ms. */
  namesBefore(ms: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Name of a report's PDF: stored with the packages, under the hash of its own bytes. */
export function pdfBlobName(pdfSha256: string): string {
  return `${pdfSha256}.pdf`;
}

const NAME = /^[0-9a-f]{64}(\.[a-z]+)?$/;

/** True if a file of this name can be a blob. */
export function isBlobName(name: string): boolean {
  return NAME.test(name);
}

/** @throws RangeError for a name that is not a hash with an optional extension */
export function requireBlobName(name: string): string {
  if (!isBlobName(name)) throw new RangeError('a blob is named by a hash');
  return name;
}
