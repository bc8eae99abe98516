import { Controller, Inject } from '@nestjs/common';
import { keySetRoutes } from '@countersign/contracts';
import type { HttpAnswer, RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import { jsonWebKeySet } from '../key-set/json-web-key-set.js';
import { PUBLIC_VERIFICATION, type PublicVerification } from '../public-verification.js';
import { conditional, jsonRepresentation } from './conditional.js';
import { LOG, orFailed, type Log } from './failed.js';

/** As the list of keys: a revocation is to be seen soon. */
const CACHE = 'public, max-age=60';

/** The signing keys for programs that know nothing of this service. */
@Controller()
export class KeySetController {
  readonly #verification: PublicVerification;
  readonly #log: Log;
  constructor(@Inject(PUBLIC_VERIFICATION) verification: PublicVerification, @Inject(LOG) log: Log) {
    this.#verification = verification;
    this.#log = log;
  }

  @HttpRoute(keySetRoutes.getKeySet)
  keySet(@Input() { headers }: RouteInput<unknown, Record<string, unknown>, null>): Promise<HttpAnswer> {
    return orFailed(this.#log, 'the look-up failed: try again', async () => {
      const keys = jsonWebKeySet(await this.#verification.soundKeys());
      return conditional(jsonRepresentation(keys, CACHE), headers['if-none-match']);
    });
  }
}
