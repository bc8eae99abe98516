import type { Counters } from '@countersign/counters';
import { missingRight, rightsMask } from '@countersign/contracts';
import { isWellFormedApiKey } from '@countersign/process';
import { apiKeyProblem, endedKeyProblem } from '@countersign/http-edge';
import { keySha256 } from '../follow/read-model.js';
import type { ReadModel, KnownKey } from '../follow/read-model.js';
import type { PendingCheck } from './pending-check.js';

const MAY_CHECK = rightsMask(['check']);
const UNCHECKED = 'The API key could not be checked now. Do not act; try again.';

/** Checks keys and their powers, also of keys that the gateway's read model does not contain. */
export class Credentials {
  constructor(
    private readonly known: ReadModel,
    private readonly counters: Pick<Counters, 'version'>,
    private readonly clock: () => number,
  ) {}

  /** The reason why a known key does not check now, or `null`. */
  problem(key: KnownKey): string | null {
    if ((key.rights & MAY_CHECK) === 0) return missingRight(['check']);
    if (key.expiresAtMs === Infinity || this.clock() < key.expiresAtMs) return null;
    return this.ended(key.id);
  }

  /** The reason why these headers name no known key. */
  unknown(text: string | null, rawHeaders: readonly string[]): string {
    const facts = text === null || !isWellFormedApiKey(text) ? undefined : this.known.factsOf(text);
    return (facts === undefined ? null : endedKeyProblem(facts, this.clock())) ?? apiKeyProblem(rawHeaders);
  }

  /** The reason why a key that was accepted before is refused now. */
  ended(id: string): string {
    const facts = this.known.apiKeys.get(id)?.value;
    return (
      (facts === undefined ? null : endedKeyProblem(facts, this.clock())) ?? 'the API key is not in force any more'
    );
  }

  /**
   * The counters know a new key by its hash before its record is read here. `null`: no such key, or the check is over
   * because it could not be judged.
   */
  async newKey(text: string, check: PendingCheck): Promise<KnownKey | null> {
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
