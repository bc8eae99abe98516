import type { IncomingMessage, ServerResponse } from 'node:http';
import { operationsRoutes } from '@countersign/contracts';
import { HttpAnswer, writeAnswer } from '../edge/answer.js';
import type { EdgeRoute } from '../edge/edge.js';
import { HttpRefusal } from '../edge/http-contract.js';
import { inputOf } from '../edge/route-input.js';
import { DocsFiles } from './docs-files.js';
import type { DocsFile } from './docs-files.js';

/**
 * Everything is loaded from this process, and requests that a reader tries go to it; no other address is contacted. No
 * inline script or style, and none evaluated from text; the renderer draws its arrows from `data:` images.
 */
export const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': DOCS_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  vary: 'accept-encoding',
} as const;

const REVALIDATED = 'public, no-cache';
const FOR_A_YEAR = 'public, max-age=31536000, immutable';

/** `/docs` and its files; every process serves them, as it serves the OpenAPI document. */
export function docsRoutes(files = new DocsFiles()): readonly EdgeRoute[] {
  return [
    {
      route: operationsRoutes.docs,
      handle: async (_route, request, response) => send(request, response, await files.page(), REVALIDATED),
    },
    {
      route: operationsRoutes.docsFile,
      handle: async (_route, request, response) => {
        const name = inputOf(request).params['file']!;
        const file = await files.file(name);
        if (file === null) throw new HttpRefusal(404, 'the page has no such file');
        await send(request, response, file, name === file.hashedName ? FOR_A_YEAR : REVALIDATED);
      },
    },
  ];
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  file: DocsFile,
  caching: string,
): Promise<void> {
  const { 'if-none-match': known, 'accept-encoding': encodings = '' } = request.headers;
  const zipped = /(?:^|[,\s])gzip(?:\s*(?:,|$))/.test(String(encodings));
  // Two representations of one resource have two entity tags (RFC 9110 section 8.8.3.3).
  const etag = zipped ? file.etag.replace(/"$/, '-gzip"') : file.etag;
  const headers = { ...HEADERS, 'cache-control': caching, etag };
  if (known === etag) return writeAnswer(response, HttpAnswer.empty(304, headers));
  const body = zipped ? await file.zipped() : file.content;
  const encoding: Record<string, string> = zipped ? { 'content-encoding': 'gzip' } : {};
  return writeAnswer(response, HttpAnswer.text(200, file.contentType, body, { ...headers, ...encoding }));
}
