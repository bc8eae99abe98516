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
const policyOf = (scripts: string): string =>
  [
    "default-src 'none'",
    `script-src ${scripts}`,
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

export const CONTENT_SECURITY_POLICY = policyOf("'self'");

/**
 * Of the worker, whose file has a policy of its own: it may compile WebAssembly, for PostgreSQL's parser, which rules that read SQL
 * need. That allows no text to become script, as 'unsafe-eval' would; and what is compiled is fetched from this origin.
 */
export const WORKER_POLICY = policyOf("'self' 'wasm-unsafe-eval'");

const HEADERS = {
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
    const policy = name === 'worker.js' ? WORKER_POLICY : CONTENT_SECURITY_POLICY;
    const headers = { 'content-security-policy': policy, ...HEADERS, etag: file.etag };
    if (ifNoneMatch === file.etag) return HttpAnswer.empty(304, headers);
    return HttpAnswer.text(200, file.contentType, file.content, headers);
  }
}
