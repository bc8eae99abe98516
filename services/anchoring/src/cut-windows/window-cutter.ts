import { BackgroundLoop, messageOf } from '@countersign/async';
import type { Offsets } from '@countersign/event-log';
import type { ServiceContext } from '@countersign/service-kit';
import { dueLabel, untilNextSecond } from '../domain/window-label.js';
import type { CutGate } from '../intake/cut-gate.js';
import type { LeafIntake } from '../intake/leaf-intake.js';
import type { AnchorStore, Cut } from '../store/port.js';

/** An intake that does not reach a cut in this time is named as a problem. */
const REACH_MS = 30_000;

/**
 * Ends windows when their time is over. The end is where the log ends at that moment, recorded durably before anything
 * above it is taken: so nothing can be late, and no clock can change what a window holds. A partition that is behind the
 * cut catches up while the others go on into the next windows; the next cut is made when this one is complete.
 * No label is used twice: what a clock that was ahead has used is passed over, and its events go into the next window.
 */
export class WindowCutter {
  readonly #context: Pick<ServiceContext, 'clock' | 'eventLog' | 'log'>;
  readonly #store: AnchorStore;
  readonly #intake: LeafIntake;
  readonly #gate: CutGate;
  readonly #cut: () => void;
  readonly #labelTime: (clockMs: number) => number | null;
  readonly #stopping = new AbortController();
  readonly #loop: BackgroundLoop;
  #problem: string | null = null;

  /**
   * @param cut called after windows were cut
   * @param labelTime the time by which windows are named, where the clock says the given one; `null`: not known yet
   */
  constructor(
    context: Pick<ServiceContext, 'clock' | 'eventLog' | 'log'>,
    store: AnchorStore,
    intake: LeafIntake,
    gate: CutGate,
    cut: () => void,
    labelTime: (clockMs: number) => number | null = (clockMs) => clockMs,
  ) {
    this.#context = context;
    this.#store = store;
    this.#intake = intake;
    this.#gate = gate;
    this.#cut = cut;
    this.#labelTime = labelTime;
    this.#loop = new BackgroundLoop(
      async () => {
        await this.tick();
        this.#problem = null;
        return untilNextSecond(context.clock());
      },
      (error) => {
        this.#problem = `windows are not cut: ${messageOf(error)}`;
        context.log.error({ err: error }, 'windows could not be cut');
        return untilNextSecond(context.clock());
      },
    );
  }

  /** Looks at each whole second from now on. */
  start(): void {
    this.#loop.start(untilNextSecond(this.#context.clock()));
  }

  /** Cuts what is due, and waits until all below the cut has been taken. */
  async tick(): Promise<void> {
    const offsets = (await this.#store.pendingCut()) ?? (await this.#begin());
    if (offsets === null) return;
    await this.#reached(offsets);
    await this.#store.completeCut();
    this.#cut();
  }

  /** @throws when the intake is not there within `REACH_MS`, or the service stops */
  async #reached(offsets: Offsets): Promise<void> {
    // Not AbortSignal.any over AbortSignal.timeout: Node 20 to 24 collect that timeout as garbage, and it never comes.
    const ending = new AbortController();
    const stop = (): void => ending.abort(this.#stopping.signal.reason);
    const late = new Error(`what lies below the cut was not taken within ${REACH_MS / 1000} s`);
    const timer = setTimeout(() => ending.abort(late), REACH_MS);
    this.#stopping.signal.addEventListener('abort', stop, { once: true });
    try {
      this.#stopping.signal.throwIfAborted();
      await this.#intake.reached(offsets, ending.signal);
    } finally {
      clearTimeout(timer);
      this.#stopping.signal.removeEventListener('abort', stop);
    }
  }

  /** Where a new cut lies, recorded; `null` when none is due. */
  async #begin(): Promise<Offsets | null> {
    if ((await this.#due()).length === 0) return null;
    this.#gate.hold();
    try {
      // After the hold: what is taken already came from below these offsets.
      const offsets = await this.#context.eventLog.endOffsets('agent-events');
      await this.#store.cut(await this.#due(), offsets);
      return offsets;
    } finally {
      this.#gate.open();
    }
  }

  problem(): string | null {
    return this.#problem;
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the service stops'));
    await this.#loop.stop();
  }

  async #due(): Promise<Cut[]> {
    const now = this.#labelTime(this.#context.clock());
    if (now === null) return [];
    const due: Cut[] = [];
    for (const cadence of await this.#store.cadences()) {
      const { cadenceSeconds } = cadence;
      const label = dueLabel(cadence, now);
      if (label === null || (await this.#store.isCut(cadenceSeconds, label.startMs))) continue;
      due.push({ cadenceSeconds, ...label });
    }
    return due;
  }
}
