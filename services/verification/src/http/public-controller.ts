import { Controller, Inject } from '@nestjs/common';
import { verificationRoutes } from '@countersign/contracts';
import { publicKeyToPem } from '@countersign/evidence';
import { HttpAnswer, HttpRefusal } from '@countersign/http-edge';
import type { RawBody, RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import { publicKeyOf } from '../key-set/sound-keys.js';
import { PUBLIC_VERIFICATION, type PublicVerification } from '../public-verification.js';
import { NOT_CONFIRMED } from '../verify-chain/verify-chain.js';
import { conditional, jsonRepresentation, textRepresentation } from './conditional.js';
import { LOG, orFailed, type Log } from './failed.js';

type PublicInput<B = unknown> = RouteInput<B, Record<string, unknown>, null>;

/** Long enough to spare look-ups, short enough that a revocation is seen soon. */
const KEYS_CACHE = 'public, max-age=60';
/** A key's id is a hash of the key: what it names never changes. */
const PEM_CACHE = 'public, max-age=86400, immutable';

const LOOK_UP_FAILED = 'the look-up failed: try again';
const VERIFICATION_FAILED = 'the verification failed: try again';

@Controller()
export class PublicController {
  readonly #verification: PublicVerification;
  readonly #log: Log;
  constructor(@Inject(PUBLIC_VERIFICATION) verification: PublicVerification, @Inject(LOG) log: Log) {
    this.#verification = verification;
    this.#log = log;
  }

  @HttpRoute(verificationRoutes.listKeys)
  keys(@Input() { headers }: PublicInput): Promise<HttpAnswer> {
    return orFailed(this.#log, LOOK_UP_FAILED, async () =>
      conditional(jsonRepresentation(await this.#verification.keys(), KEYS_CACHE), headers['if-none-match']),
    );
  }

  @HttpRoute(verificationRoutes.getKey)
  key(@Input() { params, headers }: PublicInput): Promise<HttpAnswer> {
    return orFailed(this.#log, LOOK_UP_FAILED, async () => {
      const id = params['keyId']!;
      const facts = await this.#verification.facts.key(id);
      const publicKey = facts === null ? null : publicKeyOf({ id, facts });
      if (publicKey === null) throw new HttpRefusal(404, 'no such key');
      const pem = textRepresentation('text/plain; charset=utf-8', publicKeyToPem(publicKey), PEM_CACHE);
      return conditional(pem, headers['if-none-match']);
    });
  }

  @HttpRoute(verificationRoutes.verifyInclusion)
  inclusion(@Input() { body }: PublicInput<RawBody>): Promise<HttpAnswer> {
    return orFailed(this.#log, VERIFICATION_FAILED, async () => {
      const answer = await this.#verification.inclusion(body);
      if (!(answer instanceof Uint8Array)) return new HttpAnswer(200, answer);
      return HttpAnswer.text(200, 'application/json; charset=utf-8', answer);
    });
  }

  @HttpRoute(verificationRoutes.verifyChain)
  chain(@Input() { body }: PublicInput): Promise<HttpAnswer> {
    const ask = async (): Promise<HttpAnswer> => {
      const answer = await this.#verification.chain(body);
      return new HttpAnswer(answer.status, answer.body);
    };
    return orFailed(this.#log, VERIFICATION_FAILED, ask, { ...NOT_CONFIRMED, error: VERIFICATION_FAILED });
  }
}
