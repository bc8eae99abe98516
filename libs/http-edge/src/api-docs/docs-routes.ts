import { operationsRoutes } from '@countersign/contracts';
import type { EdgeRoute } from '../edge/edge.js';
import { HttpRefusal } from '../edge/http-contract.js';
import { inputOf } from '../edge/route-input.js';
import { FOR_A_YEAR, REVALIDATED, sendFile } from '../files/served-file.js';
import { DocsFiles } from './docs-files.js';

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
} as const;

/** `/docs` and its files; every process serves them, as it serves the OpenAPI document. */
export function docsRoutes(files = new DocsFiles()): readonly EdgeRoute[] {
  return [
    {
      route: operationsRoutes.docs,
      handle: async (_route, request, response) =>
        sendFile(request, response, await files.page(), HEADERS, REVALIDATED),
    },
    {
      route: operationsRoutes.docsFile,
      handle: async (_route, request, response) => {
        const name = inputOf(request).params['file']!;
        const file = await files.file(name);
        if (file === null) throw new HttpRefusal(404, 'the page has no such file');
        await sendFile(request, response, file, HEADERS, name === file.hashedName ? FOR_A_YEAR : REVALIDATED);
      },
    },
  ];
}
