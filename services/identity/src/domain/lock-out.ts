/** Failures within this time count. */
export const WINDOW_MS = 15 * 60 * 1000;
/** For one e-mail address from one IP. A stranger elsewhere does not lock its owner out. */
export const FAILURES_PER_PAIR = 10;
/** For one e-mail address from all IPs; beyond it only places from which it was signed in to before are let through. */
export const FAILURES_PER_ADDRESS = 100;
export const FAILURES_PER_IP = 100;
/** A place is known for so long after the last sign-in from there. */
export const ORIGIN_KNOWN_MS = 30 * 24 * 3600 * 1000;
/** Each costs a hash and makes an account. */
export const REGISTRATIONS_PER_IP = 20;
/** Each may send a mail. */
export const REGISTRATIONS_PER_ADDRESS = 10;

/**
 * Until when attempts are refused, ms, or `null` when they are not.
 * @param failures times of past failures, ms, newest first
 * @param most so many within {@link WINDOW_MS} close the door, until the oldest of them is over
 */
export function lockedUntil(failures: readonly number[], most: number, nowMs: number): number | null {
  const decisive = failures[most - 1];
  return decisive !== undefined && decisive + WINDOW_MS > nowMs ? decisive + WINDOW_MS : null;
}

/**
 * The same once an attempt has been counted that is still to be made: the others alone close the door on it. Attempts
 * side by side that were all counted before any was judged cannot pass together.
 * @param times of all attempts, ms, newest first, at least `most + 1` where there are as many
 */
export function lockedByOthers(times: readonly number[], own: number, most: number, nowMs: number): number | null {
  const at = times.indexOf(own);
  return lockedUntil(at === -1 ? times : times.toSpliced(at, 1), most, nowMs);
}

/** E-mail addresses are compared, kept and counted in this form. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** An IPv4 address counts as itself, also where a dual socket shows it as IPv6. */
export function normalIp(address: string): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}

/** Where registrations of an e-mail address are counted: no address that is signed in to has this form. */
export function registrationsOf(email: string): string {
  return `registrations of ${email}`;
}

/** Where registrations from an IP are counted: no IP has this form. */
export function registrationsFrom(ip: string): string {
  return `registrations from ${ip}`;
}
