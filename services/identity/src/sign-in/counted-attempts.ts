import { HttpRefusal, placeOf } from '@countersign/service-kit';
import type { ServiceContext } from '@countersign/service-kit';
import { FAILURES_PER_ADDRESS, FAILURES_PER_IP, lockedByOthers, normalIp } from '../domain/lock-out.js';
import { REGISTRATIONS_PER_IP, registrationsFrom, WINDOW_MS } from '../domain/lock-out.js';
import type { IdentityStore } from '../store/port.js';

/**
 * Attempts count as failed from before they are made, in the store that all instances share: however many run side by
 * side, no more than the limit get through. Throws HttpRefusal 429.
 */
export class CountedAttempts {
  constructor(
    private readonly context: Pick<ServiceContext, 'clock'>,
    private readonly store: Pick<IdentityStore, 'failed' | 'failures' | 'forgive'>,
  ) {}

  /** `attempt` gives `null` when it failed: then it goes on counting, and only then. */
  async login<T>(address: string, remoteAddress: string, attempt: () => Promise<T | null>): Promise<T | null> {
    const failure = await this.#count(address, callerOf(remoteAddress), FAILURES_PER_ADDRESS, FAILURES_PER_IP);
    let failed = false;
    try {
      const done = await attempt();
      failed = done === null;
      return done;
    } finally {
      // Who cannot sign in because something is down is not locked out for it.
      if (!failed) await this.store.forgive(failure);
    }
  }

  /** A registration counts for the IP whatever comes of it. */
  async registration(remoteAddress: string): Promise<void> {
    const place = registrationsFrom(callerOf(remoteAddress));
    await this.#count(place, place, REGISTRATIONS_PER_IP, REGISTRATIONS_PER_IP);
  }

  async #count(address: string, ip: string, perAddress: number, perIp: number): Promise<string> {
    const now = this.context.clock();
    const since = now - WINDOW_MS;
    const failure = await this.store.failed(address, ip, now, since);
    const { ofAddress, ofIp } = await this.store.failures(address, ip, since, perAddress + 1, perIp + 1);
    const until = Math.max(
      lockedByOthers(ofAddress, now, perAddress, now) ?? 0,
      lockedByOthers(ofIp, now, perIp, now) ?? 0,
    );
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
