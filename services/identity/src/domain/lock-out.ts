/** Failures within this time count. */
export const WINDOW_MS = 15 * 60 * 1000;
export const FAILURES_PER_ADDRESS = 10;
export const FAILURES_PER_IP = 100;

/**
 * Until when attempts are refused, ms, or `null` when they are not.
 * @param failures times of past failures, ms, newest first
 * @param most so many within {@link WINDOW_MS} close the door, until the oldest of them is over
 */
export function lockedUntil(failures: readonly number[], most: number, nowMs: number): number | null {
  const decisive = failures[most - 1];
  return decisive !== undefined && decisive + WINDOW_MS > nowMs ? decisive + WINDOW_MS : null;
}

/** E-mail addresses are compared, kept and counted in this form. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** An IPv4 address counts as itself, also where a dual socket shows it as IPv6. */
export function normalIp(address: string): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}
