import type { BackgroundLoop } from '@countersign/async';
import type { LogBatch } from '@countersign/event-log';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { ServiceContext } from '@countersign/service-kit';
import type { AuthorityKey } from '../authority/authority-key.js';
import { WindowCloser } from '../close-windows/window-closer.js';
import { WindowLoop } from '../close-windows/window-loop.js';
import { WindowCutter } from '../cut-windows/window-cutter.js';
import { CutGate } from '../intake/cut-gate.js';
import { LeafIntake } from '../intake/leaf-intake.js';
import { ReportIntake } from '../intake/report-intake.js';
import type { AnchoringMetrics } from '../metrics.js';
import { AnchorPublisher } from '../publish/anchor-publisher.js';
import type { AnchorStore } from '../store/port.js';
import { AnchorLoop } from '../submit/anchor-loop.js';
import { watchLoop } from '../watch-authority/watch-loop.js';
import type { ChainClock } from '../watch-chain/chain-clock.js';
import type { ClockWatch } from '../watch-chain/clock-watch.js';
import { requirePublishedWindows } from './published-windows.js';

/** Facts about the time, also while this instance is on standby. */
export interface Clocks {
  readonly chainClock: ChainClock;
  readonly clocks: ClockWatch;
}

/** All that only the instance that leads does, from the moment it leads. The chain is asked in the background. */
export class ActiveAnchoring {
  readonly #leaves: LeafIntake;
  readonly #reports: ReportIntake;
  readonly #cutter: WindowCutter;
  readonly #windows: WindowLoop;
  readonly #anchors: AnchorLoop;
  readonly #watch: BackgroundLoop;
  readonly #requirePublishedWindows: () => Promise<void>;
  readonly #newestEvent: () => Promise<void>;

  constructor(
    context: ServiceContext,
    store: AnchorStore,
    key: AuthorityKey,
    metrics: AnchoringMetrics,
    { chainClock, clocks }: Clocks,
  ) {
    const publisher = new AnchorPublisher(context.eventLog, store);
    const anchors = new AnchorLoop(context, store, key, publisher, metrics, chainClock);
    const windows = new WindowLoop(context, publisher, new WindowCloser(store, nodeCrypto.sha256), anchors.poke);
    const gate = new CutGate();
    this.#anchors = anchors;
    this.#windows = windows;
    this.#leaves = new LeafIntake(context, store, gate, (ms) => clocks.sawEvent(ms));
    this.#reports = new ReportIntake(store, anchors.poke);
    this.#cutter = new WindowCutter(
      context,
      store,
      this.#leaves,
      gate,
      () => windows.poke(),
      (clockMs) => chainClock.labelTime(clockMs),
    );
    this.#watch = watchLoop(context, store, key.publicKey, metrics.equivocated);
    this.#requirePublishedWindows = () => requirePublishedWindows(context.eventLog, store, key.publicKey);
    this.#newestEvent = async () => clocks.sawEvent((await store.newestEventMs()) ?? -Infinity);
  }

  /** @throws StoreForgot before anything is cut, when something was published that the store does not have */
  async begin(): Promise<void> {
    await this.#requirePublishedWindows();
    await this.#newestEvent();
    this.#windows.poke();
    this.#anchors.poke();
    this.#watch.poke();
    this.#cutter.start();
  }

  takeLeaves(batch: LogBatch): Promise<void> {
    return this.#leaves.take(batch);
  }

  takeReports(batch: LogBatch): Promise<void> {
    return this.#reports.take(batch);
  }

  problems(): readonly string[] {
    return [this.#cutter.problem(), this.#windows.problem(), this.#anchors.fundsProblem()].filter(
      (problem): problem is string => problem !== null,
    );
  }

  async stop(): Promise<void> {
    await this.#cutter.stop();
    await this.#windows.stop();
    await this.#anchors.stop();
    await this.#watch.stop();
  }
}
