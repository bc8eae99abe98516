import type { SigningKeyFacts } from '@countersign/contracts';
import type { ServiceContext } from '@countersign/service-kit';
import type { Projection } from '@countersign/topics';
import type { Keyring } from './keyring.js';

const EVERY_MS = 5_000;

/**
 * Checks the ring periodically: publishes a change that an instance left unpublished by a crash, and
 * detects that this instance has another folder than the one that changed the keys.
 */
export class KeyWatch {
  readonly #ring: Keyring;
  readonly #published: Pick<Projection<SigningKeyFacts>, 'values' | 'problem'>;
  readonly #log: Pick<ServiceContext['log'], 'warn'>;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | null = null;
  /** Result of the last check; reported only if the next one confirms it, since ring and topic change one after the other. */
  #suspicion: string | null = null;
  #problem: string | null = null;

  constructor(
    ring: Keyring,
    published: Pick<Projection<SigningKeyFacts>, 'values' | 'problem'>,
    log: Pick<ServiceContext['log'], 'warn'>,
    everyMs = EVERY_MS,
  ) {
    this.#ring = ring;
    this.#published = published;
    this.#log = log;
    this.#timer = setInterval(() => void this.look(), everyMs);
    this.#timer.unref();
  }

  /** Why this instance may not sign, or `null`. */
  problem(): string | null {
    return this.#published.problem() ?? this.#problem;
  }

  /** Resolves when the check has finished, also if the folder or the topic could not be read. */
  look(): Promise<void> {
    return (this.#looking ??= this.#look()
      .catch((error: unknown) => this.#log.warn({ err: error }, 'the ring of signing keys cannot be read'))
      .finally(() => (this.#looking = null)));
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    const stored = await this.#ring.read();
    await this.#ring.publish(stored);
    const versions = new Map(stored.keys.map(({ id, version }) => [id, version]));
    const ahead = [...this.#published.values()].find(({ id, version }) => version > (versions.get(id) ?? 0));
    const found =
      ahead === undefined
        ? null
        : `the topic signing-keys has a change of ${ahead.id} that the folder of keys has not: ` +
          'all instances of reporting must have one folder';
    this.#problem = found !== null && found === this.#suspicion ? found : null;
    this.#suspicion = found;
  }
}
