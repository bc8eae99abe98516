import type { ServiceContext } from '@countersign/service-kit';
import type { HoldStore } from '../store/hold-port.js';
import type { LegalHold, Reach } from './legal-hold.js';

/** Time within which an erasure is sent to the log after it was registered, ms: far less than it stays registered for. */
const SENT_WITHIN_MS = 10_000;

/** Legal holds keep what was to be erased: nothing was done. */
export class ContentHeld extends Error {
  override readonly name = 'ContentHeld';
  constructor(readonly holds: readonly LegalHold[]) {
    super('legal holds keep the content');
  }
}

/** The process was stopped for too long after it had registered an erasure: nothing was sent. */
export class TooLate extends Error {
  override readonly name = 'TooLate';
}

/**
 * The one way to an erasure, by hand and by age. It is registered in the transaction that finds no hold, and registered until
 * the archive has carried it out. A hold that is placed in between is in force for everything else at once, and reads
 * `settling` until the erasure has ended. One whose end is not known stays registered for a minute: longer than it can
 * still be sent. After that a hold reads `settling` until the archive has passed what the log held then.
 */
export class ErasureGate {
  constructor(
    private readonly context: Pick<ServiceContext, 'counters' | 'log'>,
    private readonly store: HoldStore,
    /** A monotonic clock, ms. */
    private readonly ranMs: () => number = () => performance.now(),
  ) {}

  /** Holds that are not released. */
  inForce(accountId: string): Promise<readonly LegalHold[]> {
    return this.store.inForce(accountId);
  }

  /**
   * Carries out an erasure unless a hold keeps any of it.
   * @param id of the event that orders it
   * @param work sends that event, resolves once the archive has carried it out, and rejects where that is not known
   * @throws ContentHeld, TooLate: nothing was sent
   * @throws also what `work` throws, and when the holds cannot be read: then nothing was sent
   */
  async carryOut(reach: Reach, id: string, work: () => Promise<void>): Promise<void> {
    const { counters, log } = this.context;
    const beganMs = this.ranMs();
    const keeping = await this.store.begin(reach, id, await counters.now());
    if (keeping.length > 0) throw new ContentHeld(keeping);
    if (this.ranMs() - beganMs > SENT_WITHIN_MS) throw new TooLate('the erasure was registered too long ago');
    await work();
    await this.store.end(reach.accountId, id).catch((error: unknown) => {
      log.warn({ err: error }, 'an erasure that was carried out stays registered for a minute');
    });
  }
}
