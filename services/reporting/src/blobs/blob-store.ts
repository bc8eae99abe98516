/** Bodies of reports, addressed by a hash. Several instances may share them. */
export interface BlobStore {
  /**
   * Whole and durable when it resolves, else not there at all: nobody ever reads a part. The same name again changes
   * nothing.
   */
  put(name: string, chunks: Iterable<string | Uint8Array>): Promise<void>;
  /** `null` where there is none. */
  get(name: string): Promise<Buffer | null>;
  remove(name: string): Promise<void>;
  /** What was put before this time, ms. */
  namesBefore(ms: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Where the PDF of a report lies: beside the packages, under the hash of its own bytes. */
export function pdfBlobName(pdfSha256: string): string {
  return `${pdfSha256}.pdf`;
}

const NAME = /^[0-9a-f]{64}(\.[a-z]+)?$/;

/** Whether a file of this name can be a blob. */
export function isBlobName(name: string): boolean {
  return NAME.test(name);
}

/** @throws RangeError for what is not a hash, with an ending at most */
export function requireBlobName(name: string): string {
  if (!isBlobName(name)) throw new RangeError('a blob is named by a hash');
  return name;
}
