import { placeOf } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';
import { FAILURES_PER_ADDRESS, FAILURES_PER_IP, FAILURES_PER_PAIR, lockedByOthers } from '../domain/lock-out.js';
import { normalIp, ORIGIN_KNOWN_MS, WINDOW_MS } from '../domain/lock-out.js';
import { REGISTRATIONS_PER_ADDRESS, REGISTRATIONS_PER_IP } from '../domain/lock-out.js';
import { LINKS_PER_ADDRESS, LINKS_PER_IP, linksFor, linksFrom, usesOfLink } from '../domain/lock-out.js';
import { codesOf, registrationsFrom, registrationsOf } from '../domain/lock-out.js';
import { WRONG_CODES_PER_USER } from '../domain/second-factor.js';
import { tooMany } from './too-many.js';
import type { FailureLimits, IdentityStore } from '../store/port.js';

const LOGINS: FailureLimits = { ofPair: FAILURES_PER_PAIR, ofAddress: FAILURES_PER_ADDRESS, ofIp: FAILURES_PER_IP };
const REGISTRATIONS: FailureLimits = {
  ofPair: REGISTRATIONS_PER_ADDRESS,
  ofAddress: REGISTRATIONS_PER_ADDRESS,
  ofIp: REGISTRATIONS_PER_IP,
};
const LINKS: FailureLimits = { ofPair: LINKS_PER_ADDRESS, ofAddress: LINKS_PER_ADDRESS, ofIp: LINKS_PER_IP };

const CODES: FailureLimits = { ofPair: WRONG_CODES_PER_USER, ofAddress: WRONG_CODES_PER_USER, ofIp: FAILURES_PER_IP };

/**
 * Counts attempts as failed before they are made, in the store that all instances share: concurrent attempts cannot
 * exceed the limit. Throws HttpRefusal 429.
 */
export class CountedAttempts {
  constructor(
    private readonly context: Pick<ServiceContext, 'clock'>,
    private readonly store: Pick<IdentityStore, 'failed' | 'failures' | 'forgive' | 'signedInFrom' | 'hasSignedInFrom'>,
  ) {}

  /**
   * Runs a sign-in. Failures lock an e-mail address out for their IP; failures from many IPs lock it out for
   * all but those with a sign-in to it in the last 30 days.
   * @param attempt resolves to `null` if it failed: only then it stays counted
   */
  async login<T>(address: string, remoteAddress: string, attempt: () => Promise<T | null>): Promise<T | null> {
    return this.#run(address, address, LOGINS, remoteAddress, attempt);
  }

  /**
   * Runs the use of a code of a second factor. Failures lock its user out, from all IPs; the IP of a success becomes known.
   * @param attempt resolves to `null` if the code was wrong: only then it stays counted
   */
  async code<T>(
    userId: string,
    email: string,
    remoteAddress: string,
    attempt: () => Promise<T | null>,
  ): Promise<T | null> {
    return this.#run(codesOf(userId), email, CODES, remoteAddress, attempt);
  }

  /** Counts a registration for the IP and for its e-mail address, successful or not. */
  async registration(email: string, remoteAddress: string): Promise<void> {
    await this.#count(registrationsOf(email), registrationsFrom(originOf(remoteAddress)), REGISTRATIONS);
  }

  /**
   * Counts a link that sets a password, for the IP and for its e-mail address, whether it is made or not.
   * @param by the account whose admin makes it; `null`: a caller without a session, who has forgotten the password
   */
  async link(email: string, by: string | null, remoteAddress: string): Promise<void> {
    await this.#count(linksFor(email, by), linksFrom(originOf(remoteAddress)), LINKS);
  }

  /**
   * Runs the use of a link. Failures count for the IP as those of sign-ins do.
   * @param attempt resolves to false if it failed: only then it stays counted
   */
  async linkUse(userId: string, remoteAddress: string, attempt: () => Promise<boolean>): Promise<boolean> {
    const failure = await this.#count(usesOfLink(userId), originOf(remoteAddress), LOGINS);
    let failed = false;
    try {
      failed = !(await attempt());
      return !failed;
    } finally {
      if (!failed) await this.store.forgive(failure);
    }
  }

  /** @param email address for which the IP of a success becomes known */
  async #run<T>(
    counted: string,
    email: string,
    limits: FailureLimits,
    remoteAddress: string,
    attempt: () => Promise<T | null>,
  ): Promise<T | null> {
    const origin = originOf(remoteAddress);
    const failure = await this.#count(counted, origin, limits);
    let failed = false;
    try {
      const done = await attempt();
      failed = done === null;
      if (!failed) {
        const now = this.context.clock();
        await this.store.signedInFrom(email, origin, now, now - ORIGIN_KNOWN_MS);
      }
      return done;
    } finally {
      // An attempt that failed for technical reasons does not count.
      if (!failed) await this.store.forgive(failure);
    }
  }

  async #count(address: string, ip: string, limits: FailureLimits): Promise<string> {
    const now = this.context.clock();
    const since = now - WINDOW_MS;
    const failure = await this.store.failed(address, ip, now, since);
    const times = await this.store.failures(address, ip, since, {
      ofPair: limits.ofPair + 1,
      ofAddress: limits.ofAddress + 1,
      ofIp: limits.ofIp + 1,
    });
    const lockedBy = (count: keyof FailureLimits): number => lockedByOthers(times[count], now, limits[count], now) ?? 0;
    let until = Math.max(lockedBy('ofPair'), lockedBy('ofIp'));
    const ofAddress = lockedBy('ofAddress');
    if (ofAddress > until && !(await this.store.hasSignedInFrom(address, ip, now - ORIGIN_KNOWN_MS))) until = ofAddress;
    if (until <= now) return failure;
    await this.store.forgive(failure);
    throw tooMany(Math.ceil((until - now) / 1000));
  }
}

/** The counted form of an IP: for IPv6 the /64, in which one caller has every address. */
function originOf(remoteAddress: string): string {
  return placeOf(normalIp(remoteAddress));
}
