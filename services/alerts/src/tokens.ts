/** Injection tokens of the controllers. */
export const DESTINATIONS = Symbol('destinations');
export const FOLLOWER = Symbol('violation-follower');
