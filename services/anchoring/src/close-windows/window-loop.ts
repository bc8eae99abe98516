import { BackgroundLoop, messageOf } from '@countersign/async';
import type { ServiceContext } from '@countersign/service-kit';
import type { AnchorPublisher } from '../publish/anchor-publisher.js';
import type { WindowCloser } from './window-closer.js';

const IDLE_MS = 5_000;
const RETRY_MS = 1_000;

/** From a recorded cut to a closed window: the log knows of the cut before anything is built on it. */
export class WindowLoop {
  readonly #loop: BackgroundLoop;
  #problem: string | null = null;

  /** @param closed called after each window that was closed */
  constructor(
    context: Pick<ServiceContext, 'log'>,
    publisher: AnchorPublisher,
    closer: WindowCloser,
    closed: () => void,
  ) {
    this.#loop = new BackgroundLoop(
      async () => {
        await publisher.publishCuts();
        while ((await closer.closeNext()) !== null) {
          // Many may have gathered: they are closed again from the first one on.
          this.#problem = null;
          closed();
        }
        await closer.sweep();
        this.#problem = null;
        return IDLE_MS;
      },
      (error) => {
        this.#problem = `windows are not closed: ${messageOf(error)}`;
        context.log.error({ err: error }, 'windows could not be closed');
        return RETRY_MS;
      },
    );
  }

  poke(): void {
    this.#loop.poke();
  }

  problem(): string | null {
    return this.#problem;
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }
}
