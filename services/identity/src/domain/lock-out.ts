/** Period in which failures count. */
export const WINDOW_MS = 15 * 60 * 1000;
/** For one e-mail address from one IP. Attempts from other IPs do not lock the owner out. */
export const FAILURES_PER_PAIR = 10;
/** For one e-mail address from all IPs; beyond it only IPs with an earlier sign-in to the address are allowed. */
export const FAILURES_PER_ADDRESS = 100;
export const FAILURES_PER_IP = 100;
/** How long an IP counts as known after the last sign-in from it. */
export const ORIGIN_KNOWN_MS = 30 * 24 * 3600 * 1000;
/** Each costs a hash and creates an account. */
export const REGISTRATIONS_PER_IP = 20;
/** Each may send a mail. */
export const REGISTRATIONS_PER_ADDRESS = 10;
/** Links that set a password, of one address: each may send a mail, and ends the one before. */
export const LINKS_PER_ADDRESS = 10;
/** Such links that are asked for from one IP. */
export const LINKS_PER_IP = 100;

/**
 * Time until which attempts are refused, ms, or `null` if they are allowed.
 * @param failures times of past failures, ms, newest first
 * @param most number of failures within {@link WINDOW_MS} that locks, until the oldest of them expires
 */
export function lockedUntil(failures: readonly number[], most: number, nowMs: number): number | null {
  const decisive = failures[most - 1];
  return decisive !== undefined && decisive + WINDOW_MS > nowMs ? decisive + WINDOW_MS : null;
}

/**
 * The same for an attempt that has been counted but not made: only the other attempts lock it out, so concurrent
 * attempts that were all counted before any was judged cannot pass together.
 * @param times of all attempts, ms, newest first, at least `most + 1` of them if there are as many
 */
export function lockedByOthers(times: readonly number[], own: number, most: number, nowMs: number): number | null {
  const at = times.indexOf(own);
  return lockedUntil(at === -1 ? times : times.toSpliced(at, 1), most, nowMs);
}

/** Normal form in which e-mail addresses are compared, stored and counted. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Converts IPv4-mapped IPv6, as a dual-stack socket reports it, to IPv4. */
export function normalIp(address: string): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}

/** Counter name for registrations of an e-mail address; never equal to an address. */
export function registrationsOf(email: string): string {
  return `registrations of ${email}`;
}

/** Counter name for registrations from an IP; never equal to an IP. */
export function registrationsFrom(ip: string): string {
  return `registrations from ${ip}`;
}

/**
 * Counter name for links made for an e-mail address; never equal to an address.
 * @param by the account whose admins make them, or `null`: a caller who has forgotten a password. Their limits are separate.
 */
export function linksFor(email: string, by: string | null): string {
  return `links for ${email} by ${by ?? 'anyone'}`;
}

/** Counter name for links asked for from an IP; never equal to an IP. */
export function linksFrom(ip: string): string {
  return `links from ${ip}`;
}

/** Counter name for codes of a user's second factor; never equal to an address. */
export function codesOf(userId: string): string {
  return `codes of ${userId}`;
}

/** Counter name for uses of a user's link; never equal to an address. */
export function usesOfLink(userId: string): string {
  return `uses of the link of ${userId}`;
}
