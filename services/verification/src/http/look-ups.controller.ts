import { Controller, Inject } from '@nestjs/common';
import { publicAgentRoutes, publicReportRoutes } from '@countersign/contracts';
import { HttpRoute, Input, type HttpAnswer, type RouteInput } from '@countersign/service-kit';
import type { FoundPackage } from '../find-package/open-packages.js';
import { PUBLIC_VERIFICATION, type PublicVerification } from '../public-verification.js';
import { conditional, jsonRepresentation } from './conditional.js';
import { LOG, orFailed, type Log } from './failed.js';

type PublicInput = RouteInput<unknown, Record<string, unknown>, null>;

/** A freeze is to be seen soon; the count of actions may lag. */
const AGENT_CACHE = 'public, max-age=10';
/** The bytes never change, but a report may be withdrawn, or made private again: ask each time, for a 304. */
const PACKAGE_CACHE = 'public, no-cache';

const FAILED = 'the look-up failed: try again';

/** Agents and reports, by what the public knows them by. */
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
    return this.#package(() => this.#verification.packages.ofPdf(params['sha256']!), headers['if-none-match']);
  }

  #package(find: () => Promise<FoundPackage>, ifNoneMatch: string | undefined): Promise<HttpAnswer> {
    return orFailed(this.#log, FAILED, async () => {
      const found = await find();
      const etag = `"${found.sha256}"`;
      const answer = { contentType: 'application/json', etag, cacheControl: PACKAGE_CACHE, read: () => found.read() };
      return conditional(answer, ifNoneMatch);
    });
  }
}
