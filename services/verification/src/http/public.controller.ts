import { Controller, Inject } from '@nestjs/common';
import { publicReportRoutes, verificationRoutes } from '@countersign/contracts';
import { fromHex, publicKeyToPem } from '@countersign/evidence';
import { HttpAnswer, HttpRefusal, HttpRoute, Input, type RawBody, type RouteInput } from '@countersign/service-kit';
import { PUBLIC_VERIFICATION, type PublicVerification } from '../public-verification.js';

type PublicInput<B = unknown> = RouteInput<B, Record<string, unknown>, null>;

/** Long enough to spare look-ups, short enough that a revocation is seen soon. */
const CACHE = { 'cache-control': 'public, max-age=60' };

@Controller()
export class PublicController {
  readonly #verification: PublicVerification;
  constructor(@Inject(PUBLIC_VERIFICATION) verification: PublicVerification) {
    this.#verification = verification;
  }

  @HttpRoute(verificationRoutes.listKeys)
  async keys(): Promise<HttpAnswer> {
    return new HttpAnswer(200, await this.#verification.keys(), CACHE);
  }

  @HttpRoute(verificationRoutes.getKey)
  async key(@Input() { params }: PublicInput): Promise<HttpAnswer> {
    const facts = await this.#verification.facts.key(params['keyId']!);
    const publicKey = facts === null ? null : fromHex(facts.publicKeyHex);
    if (publicKey === null) throw new HttpRefusal(404, 'no such key');
    return HttpAnswer.text(200, 'text/plain; charset=utf-8', publicKeyToPem(publicKey), CACHE);
  }

  @HttpRoute(publicReportRoutes.getReportByPdf)
  async reportByPdf(@Input() { params }: PublicInput): Promise<HttpAnswer> {
    return HttpAnswer.text(200, 'application/json', await this.#verification.packageOfPdf(params['sha256']!), CACHE);
  }

  @HttpRoute(verificationRoutes.verifyInclusion)
  async inclusion(@Input() { body }: PublicInput<RawBody>): Promise<HttpAnswer> {
    const answer = await this.#verification.inclusion(body);
    if (!(answer instanceof Uint8Array)) return new HttpAnswer(200, answer);
    return HttpAnswer.text(200, 'application/json; charset=utf-8', answer);
  }

  @HttpRoute(verificationRoutes.verifyChain)
  async chain(@Input() { body }: PublicInput): Promise<HttpAnswer> {
    const answer = await this.#verification.chain(body);
    return new HttpAnswer(answer.status, answer.body);
  }
}
