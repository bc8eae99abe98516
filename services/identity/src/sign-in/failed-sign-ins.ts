import type { ServiceContext } from '@countersign/service-kit';
import type { Publication } from '../publication.js';
import type { IdentityStore } from '../store/port.js';
import { signInFailed, UNKNOWN } from '../trail/acts.js';

/** The answer has to be sent first: its time would show that the address has a user. */
const AFTER_THE_ANSWER_MS = 200;
const EVERY_MS = 60_000;
/** Pairs of address and IP that are counted at a time; those above it are recorded one by one. */
const MOST_COUNTED = 10_000;

/** The step of a sign-in that failed: a wrong password, or a wrong code after the right one. */
type FailedMethod = 'password' | 'second_factor';

interface Failed {
  readonly email: string;
  readonly remoteAddress: string;
  readonly method: FailedMethod;
}

interface Counted {
  readonly failed: Failed;
  count: number;
  readonly timer: NodeJS.Timeout;
}

/**
 * Records failed sign-ins of users: of one e-mail address, IP and step the first at once, and further ones once a minute with their
 * number. What is counted is lost when the process is killed.
 */
export class FailedSignIns {
  readonly #counted = new Map<string, Counted>();
  readonly #recording = new Set<Promise<void>>();

  constructor(
    private readonly context: Pick<ServiceContext, 'log'>,
    private readonly store: Pick<IdentityStore, 'userByEmail'>,
    private readonly publication: Publication,
    private readonly afterMs = AFTER_THE_ANSWER_MS,
  ) {}

  /** @param email in normal form, also of no user */
  note(email: string, remoteAddress: string, method: FailedMethod = 'password'): void {
    const key = `${method} ${email} ${remoteAddress}`;
    const counted = this.#counted.get(key);
    if (counted !== undefined) {
      counted.count += 1;
      return;
    }
    const failed = { email, remoteAddress, method };
    this.#record(failed, 1, this.afterMs);
    if (this.#counted.size < MOST_COUNTED) this.#count(key, failed);
  }

  /** Records what is counted; resolves when all is recorded, or was refused. */
  async stop(): Promise<void> {
    for (const { count, timer, failed } of this.#counted.values()) {
      clearTimeout(timer);
      if (count > 0) this.#record(failed, count, 0);
    }
    this.#counted.clear();
    await Promise.all(this.#recording);
  }

  #count(key: string, failed: Failed): void {
    const timer = setTimeout(() => {
      const count = this.#counted.get(key)?.count ?? 0;
      this.#counted.delete(key);
      if (count === 0) return;
      this.#record(failed, count, 0);
      this.#count(key, failed);
    }, EVERY_MS);
    timer.unref();
    this.#counted.set(key, { count: 0, timer, failed });
  }

  #record(failed: Failed, count: number, afterMs: number): void {
    const recording = new Promise((resolve) => setTimeout(resolve, afterMs))
      .then(() => this.#write(failed, count))
      .catch((error: unknown) => this.context.log.warn({ err: error, count }, 'failed sign-ins were not recorded'));
    this.#recording.add(recording);
    void recording.finally(() => this.#recording.delete(recording));
  }

  async #write({ email, remoteAddress, method }: Failed, count: number): Promise<void> {
    const user = await this.store.userByEmail(email);
    if (user === null) return;
    await this.publication.write({ acts: [signInFailed(user, UNKNOWN, remoteAddress, { method, count })] });
  }
}
