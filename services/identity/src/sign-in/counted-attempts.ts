import { HttpRefusal, placeOf } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';
import { FAILURES_PER_ADDRESS, FAILURES_PER_IP, FAILURES_PER_PAIR, lockedByOthers } from '../domain/lock-out.js';
import { normalIp, PLACE_KNOWN_MS, WINDOW_MS } from '../domain/lock-out.js';
import { REGISTRATIONS_PER_ADDRESS, REGISTRATIONS_PER_IP } from '../domain/lock-out.js';
import { registrationsFrom, registrationsOf } from '../domain/lock-out.js';
import type { FailureLimits, IdentityStore } from '../store/port.js';

const LOGINS: FailureLimits = { ofPair: FAILURES_PER_PAIR, ofAddress: FAILURES_PER_ADDRESS, ofIp: FAILURES_PER_IP };
const REGISTRATIONS: FailureLimits = {
  ofPair: REGISTRATIONS_PER_ADDRESS,
  ofAddress: REGISTRATIONS_PER_ADDRESS,
  ofIp: REGISTRATIONS_PER_IP,
};

/**
 * Attempts count as failed from before they are made, in the store that all instances share: however many run side by
 * side, no more than the limit get through. Throws HttpRefusal 429.
 */
export class CountedAttempts {
  constructor(
    private readonly context: Pick<ServiceContext, 'clock'>,
    private readonly store: Pick<IdentityStore, 'failed' | 'failures' | 'forgive' | 'signedInFrom' | 'hasSignedInFrom'>,
  ) {}

  /**
   * Failures lock an e-mail address out for the place that they come from. Spread over many places, they lock it out for
   * all but those from which it was signed in to in the last 30 days: its owner's.
   * @param attempt gives `null` when it failed: then it goes on counting, and only then
   */
  async login<T>(address: string, remoteAddress: string, attempt: () => Promise<T | null>): Promise<T | null> {
    const place = callerOf(remoteAddress);
    const failure = await this.#count(address, place, LOGINS);
    let failed = false;
    try {
      const done = await attempt();
      failed = done === null;
      if (!failed) {
        const now = this.context.clock();
        await this.store.signedInFrom(address, place, now, now - PLACE_KNOWN_MS);
      }
      return done;
    } finally {
      // Who cannot sign in because something is down is not locked out for it.
      if (!failed) await this.store.forgive(failure);
    }
  }

  /** A registration counts for the IP and for its e-mail address, whatever comes of it. */
  async registration(email: string, remoteAddress: string): Promise<void> {
    await this.#count(registrationsOf(email), registrationsFrom(callerOf(remoteAddress)), REGISTRATIONS);
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
    if (ofAddress > until && !(await this.store.hasSignedInFrom(address, ip, now - PLACE_KNOWN_MS))) until = ofAddress;
    if (until <= now) return failure;
    await this.store.forgive(failure);
    throw tooMany(Math.ceil((until - now) / 1000));
  }
}

/** What is counted as one IP: of IPv6 the /64, in which one caller has every address. */
function callerOf(remoteAddress: string): string {
  return placeOf(normalIp(remoteAddress));
}

export function tooMany(seconds: number): HttpRefusal {
  return new HttpRefusal(429, 'too many attempts: wait as long as Retry-After says', {
    'Retry-After': String(seconds),
  });
}
