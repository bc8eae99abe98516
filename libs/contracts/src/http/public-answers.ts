/** What one request to a public route takes of its address's allowance for a minute: a row is read, at most. */
export const LOOK_UP = 1;
/** Hashes are computed and the chain may be asked. */
export const VERIFICATION = 3;
/** For each MiB that is verified: the largest bodies are verified one after another, for everybody together. */
export const VERIFIED_MIB = 5;
/** A whole package is sent, unless its entity tag is known. */
export const PACKAGE = 3;

/** Headers of an answer that `If-None-Match` saves. */
export const revalidated = {
  ETag: 'changes when the answer does; sent back in If-None-Match',
  'Cache-Control': 'for how long the answer may be used again',
} as const;
