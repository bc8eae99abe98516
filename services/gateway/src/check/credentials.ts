import type { Counters } from '@countersign/counters';
import { missingRight, rightsMask } from '@countersign/contracts';
import { isWellFormedApiKey } from '@countersign/process';
import { apiKeyProblem, endedKeyProblem } from '@countersign/http-edge';
import { keySha256 } from '../follow/known-facts.js';
import type { KnownFacts, KnownKey } from '../follow/known-facts.js';
import type { CheckUnderWay } from './check-under-way.js';

const MAY_CHECK = rightsMask(['check']);
const UNCHECKED = 'The API key could not be checked now. Do not act; try again.';

/** Judges keys: what they may do, and those that the gateway's own copy does not hold. */
export class Credentials {
  constructor(
    private readonly known: KnownFacts,
    private readonly counters: Pick<Counters, 'version'>,
    private readonly clock: () => number,
  ) {}

  /** Why a key that is known does not check now, or `null`. */
  problem(key: KnownKey): string | null {
    if ((key.rights & MAY_CHECK) === 0) return missingRight(['check']);
    if (key.expiresAtMs === Infinity || this.clock() < key.expiresAtMs) return null;
    return this.ended(key.id);
  }

  /** Why no key is known by these headers. */
  unknown(text: string | null, rawHeaders: readonly string[]): string {
    const facts = text === null || !isWellFormedApiKey(text) ? undefined : this.known.factsOf(text);
    return (facts === undefined ? null : endedKeyProblem(facts, this.clock())) ?? apiKeyProblem(rawHeaders);
  }

  /** Why a key that was accepted before is refused now. */
  ended(id: string): string {
    const facts = this.known.apiKeys.get(id)?.value;
    return (
      (facts === undefined ? null : endedKeyProblem(facts, this.clock())) ?? 'the API key is not in force any more'
    );
  }

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
