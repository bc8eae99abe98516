import { Controller, Inject } from '@nestjs/common';
import { publicAgentRoutes, publicReportRoutes, type IssuedPdf, type ReportFacts } from '@countersign/contracts';
import type { HttpAnswer, RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { FoundPackage } from '../find-package/open-packages.js';
import { PUBLIC_VERIFICATION, type PublicVerification } from '../public-verification.js';
import { conditional, jsonRepresentation, type Representation } from './conditional.js';
import { LOG, orFailed, type Log } from './failed.js';

type PublicInput = RouteInput<unknown, Record<string, unknown>, null>;

/** A freeze has to be visible soon; the count of actions may lag. */
const AGENT_CACHE = 'public, max-age=10';
/** The bytes never change, but a report may be withdrawn, or made private again: revalidated each time, for a 304. */
const PACKAGE_CACHE = 'public, no-cache';

const FAILED = 'the look-up failed: try again';

/** Agents and reports, by their public identifiers. */
@Controller()
export class LookUpsController {
  readonly #verification: PublicVerification;
  readonly #log: Log;
  constructor(@Inject(PUBLIC_VERIFICATION) verification: PublicVerification, @Inject(LOG) log: Log) {
    this.#verification = verification;
    this.#log = log;
  }

  @HttpRoute(publicAgentRoutes.lookUpAgent)
  agent(@Input() { params, headers }: PublicInput): Promise<HttpAnswer> {
    return orFailed(this.#log, FAILED, async () => {
      const record = await this.#verification.agent(params['ssn']!);
      return conditional(jsonRepresentation(record, AGENT_CACHE), headers['if-none-match']);
    });
  }

  @HttpRoute(publicReportRoutes.getPublicReport)
  publicReport(@Input() { params, headers }: PublicInput): Promise<HttpAnswer> {
    const id = params['id']!.toLowerCase();
    return this.#package(() => this.#verification.packages.ofPublicReport(id), headers['if-none-match']);
  }

  @HttpRoute(publicReportRoutes.getReportByPdf)
  reportByPdf(@Input() { params, headers }: PublicInput): Promise<HttpAnswer> {
    return orFailed(this.#log, FAILED, async () => {
      const found = await this.#verification.packages.ofPdf(params['sha256']!);
      const answer = 'read' in found ? packageAnswer(found) : jsonRepresentation(this.#issued(found), PACKAGE_CACHE);
      return conditional(answer, headers['if-none-match']);
    });
  }

  /** For a PDF whose report is not public: says that it was issued, when, and by which key. */
  #issued({ pdfSha256, sha256, keyId, createdAt }: ReportFacts): IssuedPdf {
    const publicKeyUrl = `${this.#verification.publicUrl()}/v1/keys/${keyId}`;
    return { issued: true, public: false, pdfSha256: pdfSha256!, sha256, publicKeyUrl, issued_at: createdAt };
  }

  #package(find: () => Promise<FoundPackage>, ifNoneMatch: string | undefined): Promise<HttpAnswer> {
    return orFailed(this.#log, FAILED, async () => conditional(packageAnswer(await find()), ifNoneMatch));
  }
}

function packageAnswer(found: FoundPackage): Representation {
  const etag = `"${found.sha256}"`;
  return { contentType: 'application/json', etag, cacheControl: PACKAGE_CACHE, read: () => found.read() };
}
