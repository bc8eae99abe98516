import { error } from './fragments.js';
import type { RouteResponse } from './route.js';

/** Cost of a request to a public route in its address's allowance for a minute: at most one row is read. */
export const LOOK_UP = 1;
/** Cost of a verification: hashes are computed, and the chain may be asked. */
export const VERIFICATION = 3;
/** Cost for each MiB that is verified: the largest bodies of all callers are verified one after another. */
export const VERIFIED_MIB = 5;
/** Cost of a package, which is sent unless the caller has its entity tag. */
export const PACKAGE = 3;

/** Headers of an answer that supports `If-None-Match`. */
export const revalidated = {
  ETag: 'changes with the answer; send it back in If-None-Match',
  'Cache-Control': 'how long the answer may be cached',
} as const;

type Responses = Readonly<Record<number, RouteResponse>>;

/** Responses of a page. @param headers of an answer that supports `If-None-Match` */
export const pageResponses = (headers: Readonly<Record<string, string>>): Responses => ({
  200: { description: 'the page', contentType: 'text/html', headers },
  304: { description: 'unchanged since the ETag in If-None-Match' },
});

/** Responses of the files of a page. @param headers as for the page */
export const pageFileResponses = (headers: Readonly<Record<string, string>>): Responses => ({
  200: {
    description: 'the file',
    contentType: 'text/javascript',
    alsoAs: ['text/css', 'image/svg+xml', 'application/wasm'],
    headers,
  },
  304: { description: 'unchanged since the ETag in If-None-Match' },
  404: error('the page has no such file'),
});
