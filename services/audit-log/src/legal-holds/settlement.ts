import type { Offsets } from '@countersign/event-log';
import type { ServiceContext } from '@countersign/service-kit';
import type { HoldStore, UnderWay } from '../store/hold-port.js';
import { holds, type LegalHold } from './legal-hold.js';

/** Time within which the log says where it ends, ms: a state is not waited for longer. */
const ENDS_WITHIN_MS = 2_000;
const WARNED_EVERY_MS = 10_000;

/** The log of events, and how much of it the archive has carried out. */
export interface CarriedOut {
  /** Ends of `agent-events` by partition. */
  ends(): Promise<Offsets>;
  /** True if the archive has carried out everything below these offsets. */
  hasPassed(ends: Offsets): Promise<boolean>;
}

/**
 * Settlement of holds: everything that was ordered before one is carried out. A hold is settled once no erasure that reaches it is registered
 * and the archive has passed the ends that the log had then. Both ends and settlement are stored, so any instance answers
 * the same, and a hold that is settled costs one read of the store. What is not known is not settled.
 */
export class Settlement {
  #warnedAt = -Infinity;

  constructor(
    private readonly context: Pick<ServiceContext, 'counters' | 'log'>,
    private readonly store: Pick<HoldStore, 'unsettled' | 'underWay' | 'settlesAt' | 'settled'>,
    private readonly archive: CarriedOut,
  ) {}

  /**
   * Ids of those of these holds that are settled; never rejects.
   * @param found holds of the account that were read before
   */
  async settledOf(accountId: string, found: readonly LegalHold[]): Promise<ReadonlySet<string>> {
    const settled = new Set<string>();
    try {
      const unsettled = new Map((await this.store.unsettled(accountId)).map(({ id, ends }) => [id, ends]));
      for (const { id } of found) if (!unsettled.has(id)) settled.add(id);
      const waiting = found.filter(({ id, released }) => released === null && unsettled.has(id));
      if (waiting.length === 0) return settled;
      const underWay = await this.store.underWay(accountId, await this.context.counters.now());
      const free = waiting.filter((hold) => !reaches(underWay, hold));
      // After the registrations: an erasure that was ended, or expired, until then is below these ends.
      const isNew = free.some(({ id }) => (unsettled.get(id) ?? null) === null);
      const now = isNew ? await this.#endsNow() : null;
      for (const { id } of free) {
        const stored = unsettled.get(id) ?? null;
        const ends = stored ?? now;
        if (ends === null) continue;
        if (await this.archive.hasPassed(ends)) {
          await this.store.settled(accountId, id);
          settled.add(id);
        } else if (stored === null) await this.store.settlesAt(accountId, id, ends);
      }
    } catch (error) {
      this.#warn(error, accountId);
    }
    return settled;
  }

  #warn(error: unknown, accountId: string): void {
    const nowMs = performance.now();
    if (nowMs - this.#warnedAt < WARNED_EVERY_MS) return;
    this.#warnedAt = nowMs;
    this.context.log.warn({ err: error, accountId }, 'it is not known whether legal holds are settled');
  }

  /** @throws Error where the log does not answer in time, or has no partition */
  async #endsNow(): Promise<Offsets> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('the log did not say in time where it ends')), ENDS_WITHIN_MS);
    });
    try {
      const ends = await Promise.race([this.archive.ends(), late]);
      if (Object.keys(ends).length === 0) throw new Error('the log has no partition of agent-events');
      return ends;
    } finally {
      clearTimeout(timer);
    }
  }
}

function reaches(erasures: readonly UnderWay[], hold: LegalHold): boolean {
  return erasures.some((erasure) => holds(hold, erasure));
}
