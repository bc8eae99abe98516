import { placeOf } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';
import { normalIp } from '../domain/lock-out.js';
import type { Publication } from '../publication.js';
import type { IdentityStore } from '../store/port.js';
import { signInFailed, UNKNOWN } from '../trail/acts.js';
import { EventAllowance } from './event-allowance.js';

/** The answer has to be sent first: its time would show that the address has a user. */
const AFTER_THE_ANSWER_MS = 200;
const EVERY_MS = 60_000;
/** Addresses and origins that are counted at a time; those above it are recorded one by one. */
const MOST_COUNTED = 10_000;
/** Sign-ins without their second step that are waited for at a time; those above it are recorded at once. */
const MOST_AWAITED = 10_000;

/** The step that failed: a wrong password, a wrong code, or a link whose second step was not taken. */
type FailedMethod = 'password' | 'second_factor' | 'link';

/** Why it failed, or where, if it was not a wrong password or code of a sign-in. */
export type FailureReason =
  /** The password was right, and the code or the enrolment that it needs did not follow. */
  | 'second-step-not-taken'
  /** The password was right, and the user signs in at the provider of single sign-on. */
  | 'password-refused'
  /** Of a session: where its user changes the password. */
  | 'password-change'
  /** Of a session: where its user enrols, renews or removes the second factor. */
  | 'second-factor-change';

export interface Failure {
  readonly method: FailedMethod;
  readonly reason?: FailureReason;
}

/** @property remoteAddress the first one of its origin */
interface Failed extends Failure {
  readonly email: string;
  readonly remoteAddress: string;
}

interface Counted<T> {
  readonly of: T;
  count: number;
  readonly timer: NodeJS.Timeout;
}

/**
 * Records failed sign-ins of users: of one e-mail address, origin (the IP, of IPv6 its /64) and failure the first at once, and
 * further ones once a minute with their number. After five events of a user within 15 minutes, all further failures of the user
 * are one event a minute, with their number alone: a caller without credentials cannot cause more. What is counted is lost when
 * the process is killed.
 */
export class FailedSignIns {
  readonly #counted = new Map<string, Counted<Failed>>();
  /** Failures above the allowance, by e-mail address. */
  readonly #summed = new Map<string, Counted<string>>();
  readonly #awaited = new Map<string, Counted<Failed>>();
  readonly #recording = new Set<Promise<void>>();
  readonly #allowance = new EventAllowance();

  constructor(
    private readonly context: Pick<ServiceContext, 'log' | 'clock'>,
    private readonly store: Pick<IdentityStore, 'userByEmail' | 'session'>,
    private readonly publication: Pick<Publication, 'write'>,
    private readonly afterMs = AFTER_THE_ANSWER_MS,
  ) {}

  /** @param email in normal form, also of no user */
  note(email: string, remoteAddress: string, failure: Failure = { method: 'password' }): void {
    const { method, reason = '' } = failure;
    const key = `${method} ${reason} ${email} ${placeOf(normalIp(remoteAddress))}`;
    const counted = this.#counted.get(key);
    if (counted !== undefined) {
      counted.count += 1;
      return;
    }
    const failed = { ...failure, email, remoteAddress };
    this.#record(() => this.#write(failed, 1), this.afterMs);
    if (this.#counted.size < MOST_COUNTED) this.#count(key, failed);
  }

  /**
   * Notes a sign-in whose second step is not taken in its time.
   * @param sessionId of the session that the second step opens, on any instance
   * @param expiresAtMs end of its time
   */
  noteUnlessOpened(
    email: string,
    remoteAddress: string,
    method: FailedMethod,
    { sessionId, expiresAtMs }: { readonly sessionId: string; readonly expiresAtMs: number },
  ): void {
    const failure = { method, reason: 'second-step-not-taken' } as const;
    if (this.#awaited.size >= MOST_AWAITED) return this.note(email, remoteAddress, failure);
    const waitMs = Math.max(0, expiresAtMs - this.context.clock());
    const timer = setTimeout(() => this.#settle(sessionId), waitMs).unref();
    this.#awaited.set(sessionId, { of: { ...failure, email, remoteAddress }, count: 1, timer });
  }

  /** Records what is counted and awaited; resolves when all is recorded, or was refused. */
  async stop(): Promise<void> {
    for (const sessionId of [...this.#awaited.keys()]) this.#settle(sessionId);
    await this.#recorded();
    for (const { count, timer, of } of this.#counted.values()) {
      clearTimeout(timer);
      if (count > 0) this.#record(() => this.#write(of, count));
    }
    this.#counted.clear();
    await this.#recorded();
    for (const email of [...this.#summed.keys()]) this.#recordSum(email);
    await this.#recorded();
  }

  #count(key: string, of: Failed): void {
    const timer = setTimeout(() => {
      const count = this.#counted.get(key)?.count ?? 0;
      this.#counted.delete(key);
      if (count === 0) return;
      this.#record(() => this.#write(of, count));
      this.#count(key, of);
    }, EVERY_MS).unref();
    this.#counted.set(key, { of, count: 0, timer });
  }

  #settle(sessionId: string): void {
    const awaited = this.#awaited.get(sessionId);
    if (awaited === undefined) return;
    clearTimeout(awaited.timer);
    this.#awaited.delete(sessionId);
    const { email, remoteAddress, ...failure } = awaited.of;
    this.#record(async () => {
      if ((await this.store.session(sessionId)) === null) this.note(email, remoteAddress, failure);
    });
  }

  #record(write: () => Promise<void>, afterMs = 0): void {
    const recording = new Promise((resolve) => setTimeout(resolve, afterMs))
      .then(write)
      .catch((error: unknown) => this.context.log.warn({ err: error }, 'failed sign-ins were not recorded'));
    this.#recording.add(recording);
    void recording.finally(() => this.#recording.delete(recording));
  }

  /** Resolves when nothing is being recorded any more. */
  async #recorded(): Promise<void> {
    while (this.#recording.size > 0) await Promise.all(this.#recording);
  }

  async #write({ email, remoteAddress, ...failure }: Failed, count: number): Promise<void> {
    const user = await this.store.userByEmail(email);
    if (user === null) return;
    if (!this.#allowance.take(user.id, this.context.clock())) return this.#sum(email, count);
    await this.publication.write({ acts: [signInFailed(user, UNKNOWN, remoteAddress, { ...failure, count })] });
  }

  #sum(email: string, count: number): void {
    const summed = this.#summed.get(email);
    if (summed !== undefined) {
      summed.count += count;
      return;
    }
    const timer = setTimeout(() => this.#recordSum(email), EVERY_MS).unref();
    this.#summed.set(email, { of: email, count, timer });
  }

  #recordSum(email: string): void {
    const summed = this.#summed.get(email);
    if (summed === undefined) return;
    clearTimeout(summed.timer);
    this.#summed.delete(email);
    this.#record(async () => {
      const user = await this.store.userByEmail(email);
      if (user === null) return;
      await this.publication.write({ acts: [signInFailed(user, UNKNOWN, null, { count: summed.count })] });
    });
  }
}
