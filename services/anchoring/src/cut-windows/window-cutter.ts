import type { Offsets } from '@countersign/event-log';
import type { ServiceContext } from '@countersign/service-kit';
import { dueLabel, untilNextSecond } from '../domain/window-label.js';
import type { CutGate } from '../intake/cut-gate.js';
import type { LeafIntake } from '../intake/leaf-intake.js';
import type { AnchorStore, Cut } from '../store/port.js';

/** A cut that the intake does not reach in this time is given up; a later one closes all. */
const REACH_MS = 30_000;

/**
 * Ends windows when their time is over. The end is where the log ends at that moment, recorded durably before anything
 * above it is taken: so nothing can be late, and no clock can change what a window holds.
 */
export class WindowCutter {
  readonly #context: Pick<ServiceContext, 'clock' | 'eventLog' | 'log'>;
  readonly #store: AnchorStore;
  readonly #intake: LeafIntake;
  readonly #gate: CutGate;
  readonly #cut: () => void;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  #problem: string | null = null;

  /** @param cut called after windows were cut */
  constructor(
    context: Pick<ServiceContext, 'clock' | 'eventLog' | 'log'>,
    store: AnchorStore,
    intake: LeafIntake,
    gate: CutGate,
    cut: () => void,
  ) {
    this.#context = context;
    this.#store = store;
    this.#intake = intake;
    this.#gate = gate;
    this.#cut = cut;
  }

  /** Looks at each whole second from now on. */
  start(): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#running = this.tick()
        .then(() => {
          this.#problem = null;
        })
        .catch((error: unknown) => {
          if (this.#stopping.signal.aborted) return;
          this.#problem = `windows are not cut: ${error instanceof Error ? error.message : String(error)}`;
          this.#context.log.error({ err: error }, 'windows could not be cut');
        })
        .finally(() => this.start());
    }, untilNextSecond(this.#context.clock()));
    this.#timer.unref();
  }

  /** Cuts what is due. */
  async tick(): Promise<void> {
    if ((await this.#due()).length === 0) return;
    this.#gate.hold();
    try {
      // After the hold: what is taken already came from below these offsets.
      const offsets: Offsets = await this.#context.eventLog.endOffsets('agent-events');
      this.#gate.limitTo(offsets);
      await this.#intake.reached(offsets, AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(REACH_MS)]));
      await this.#store.cut(await this.#due(), offsets);
    } finally {
      this.#gate.open();
    }
    this.#cut();
  }

  problem(): string | null {
    return this.#problem;
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#stopping.abort(new Error('the service stops'));
    await this.#running;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #due(): Promise<Cut[]> {
    const now = this.#context.clock();
    return (await this.#store.cadences()).flatMap((cadence) => {
      const label = dueLabel(cadence, now);
      return label === null ? [] : [{ cadenceSeconds: cadence.cadenceSeconds, ...label }];
    });
  }
}
