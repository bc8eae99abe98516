import type { Counters } from '@countersign/counters';
import { isWellFormedApiKey } from '@countersign/service-kit';
import { keySha256 } from '../follow/known-facts.js';
import type { KnownFacts, KnownKey } from '../follow/known-facts.js';
import type { CheckUnderWay } from './check-under-way.js';

const UNCHECKED = 'The API key could not be checked now. Do not act; try again.';

/** Judges keys that the gateway's own copy does not hold. */
export class Credentials {
  constructor(
    private readonly known: KnownFacts,
    private readonly counters: Pick<Counters, 'version'>,
  ) {}

  /**
   * A key that was made a moment ago is known to the counters by its hash before its record is read here.
   * `null`: no such key, or the check is over because it could not be judged.
   */
  async newKey(text: string, check: CheckUnderWay): Promise<KnownKey | null> {
    if (!isWellFormedApiKey(text)) return null;
    try {
      if ((await this.counters.version('api-key', keySha256(text))) === null) return null;
      await this.known.apiKeys.caughtUp();
    } catch {
      check.unavailable('unavailable', UNCHECKED);
      return null;
    }
    return this.known.key(text) ?? null;
  }
}
