import { Controller } from '@nestjs/common';
import { verificationPageRoutes } from '@countersign/contracts';
import { HttpAnswer, HttpRefusal } from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import { PageFiles } from '../page/page-files.js';

type PageInput = RouteInput<unknown, Record<string, unknown>, null>;

/**
 * Scripts and styles load from this origin alone, nothing in a verified file becomes markup or script, and no page may frame
 * this one. `connect-src` is open to RPC addresses of the reader's choice: over TLS, or on the reader's machine.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "worker-src 'self'",
  "connect-src 'self' https: http://127.0.0.1:* http://localhost:*",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types verify',
].join('; ');

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  // The parts of one page belong together: ask each time, for a 304.
  'cache-control': 'public, no-cache',
};

/** The page that verifies a report in the browser. */
@Controller()
export class PageController {
  readonly #files = new PageFiles();

  @HttpRoute(verificationPageRoutes.getPage)
  page(@Input() { headers }: PageInput): Promise<HttpAnswer> {
    return this.#answer('', headers['if-none-match']);
  }

  @HttpRoute(verificationPageRoutes.getPageFile)
  file(@Input() { params, headers }: PageInput): Promise<HttpAnswer> {
    return this.#answer(params['file']!, headers['if-none-match']);
  }

  async #answer(name: string, ifNoneMatch: string | undefined): Promise<HttpAnswer> {
    const file = await this.#files.get(name);
    if (file === null) throw new HttpRefusal(404, 'the page has no such file');
    const headers = { ...HEADERS, etag: file.etag };
    if (ifNoneMatch === file.etag) return HttpAnswer.empty(304, headers);
    return HttpAnswer.text(200, file.contentType, file.content, headers);
  }
}
