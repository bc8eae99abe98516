import { denialBody } from '@countersign/contracts';
import type { ScanRequest } from '@countersign/contracts';
import type { Counters } from '@countersign/counters';
import { scanInSlices } from '@countersign/policy-engine';
import type { Violation } from '@countersign/policy-engine';
import { HttpRefusal } from '@countersign/http-edge';
import { TimeSlicer } from '../check/time-slicer.js';
import type { KnownAgent } from '../follow/read-model.js';
import { agentInForce, type KeyHolder, type Known } from './agent-in-force.js';

/** Characters of pending texts: of one account, and of all together. */
const MOST_OF_ONE_ACCOUNT = 8 * 1024 * 1024;
const MOST_OF_ALL = 64 * 1024 * 1024;

/** Judges texts by the output rules of an agent. Nothing is recorded or counted. */
export class Scanner {
  readonly #slicer = new TimeSlicer();
  readonly #ofAccount = new Map<string, number>();
  #ofAll = 0;

  constructor(
    private readonly known: Known,
    private readonly counters: Pick<Counters, 'version'>,
  ) {}

  /**
   * The body of the answer, as a check's. A frozen agent's text is judged as well.
   * @throws HttpRefusal as {@link agentInForce}; 503 where too much text is pending
   */
  async scan(holder: KeyHolder, { agentId, text }: ScanRequest): Promise<Readonly<Record<string, unknown>>> {
    const agent = await agentInForce(this.known, this.counters, holder, agentId);
    const violation = await this.#counted(holder.accountId, text.length + 1, () => this.#judge(agent, text));
    if (violation === null || agent.profile.observe) return { allowed: true };
    return denialBody(violation, violation.extras);
  }

  /** @throws HttpRefusal 503 */
  async #counted<T>(accountId: string, length: number, judge: () => Promise<T>): Promise<T> {
    const ofAccount = (this.#ofAccount.get(accountId) ?? 0) + length;
    if (ofAccount > MOST_OF_ONE_ACCOUNT || this.#ofAll + length > MOST_OF_ALL) {
      throw new HttpRefusal(503, 'too many texts are being judged: try again', { 'retry-after': '1' });
    }
    this.#ofAccount.set(accountId, ofAccount);
    this.#ofAll += length;
    try {
      return await judge();
    } finally {
      this.#ofAll -= length;
      const left = this.#ofAccount.get(accountId)! - length;
      if (left === 0) this.#ofAccount.delete(accountId);
      else this.#ofAccount.set(accountId, left);
    }
  }

  #judge({ profile }: KnownAgent, text: string): Promise<Violation | null> {
    return new Promise((resolve, reject) => {
      this.#slicer.take(scanInSlices(profile, text), () => false, resolve, reject);
    });
  }
}
