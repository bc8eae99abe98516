import type { SigningKeyFacts } from '@countersign/contracts';
import type { ServiceContext } from '@countersign/service-kit';
import type { Projection } from '@countersign/topics';
import type { Keyring } from './keyring.js';

const EVERY_MS = 5_000;

/**
 * Looks at the ring now and then: what an instance changed and, ended by a crash, did not tell is told by the others; and
 * an instance that has another folder than the one that changed the keys is found out.
 */
export class KeyWatch {
  readonly #ring: Keyring;
  readonly #told: Pick<Projection<SigningKeyFacts>, 'values' | 'problem'>;
  readonly #log: Pick<ServiceContext['log'], 'warn'>;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | null = null;
  /** What the last look found; named once the next one finds it as well, since both change one after the other. */
  #suspicion: string | null = null;
  #problem: string | null = null;

  constructor(
    ring: Keyring,
    told: Pick<Projection<SigningKeyFacts>, 'values' | 'problem'>,
    log: Pick<ServiceContext['log'], 'warn'>,
    everyMs = EVERY_MS,
  ) {
    this.#ring = ring;
    this.#told = told;
    this.#log = log;
    this.#timer = setInterval(() => void this.look(), everyMs);
    this.#timer.unref();
  }

  /** Why this instance may not sign, or `null`. */
  problem(): string | null {
    return this.#told.problem() ?? this.#problem;
  }

  /** Resolves when the look is over, also where the folder or the topic could not be read. */
  look(): Promise<void> {
    return (this.#looking ??= this.#look()
      .catch((error: unknown) => this.#log.warn({ err: error }, 'the ring of signing keys cannot be looked at'))
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
    const ahead = [...this.#told.values()].find(({ id, version }) => version > (versions.get(id) ?? 0));
    const found =
      ahead === undefined
        ? null
        : `the topic signing-keys has a change of ${ahead.id} that the folder of keys has not: ` +
          'all instances of reporting must have one folder';
    this.#problem = found !== null && found === this.#suspicion ? found : null;
    this.#suspicion = found;
  }
}
