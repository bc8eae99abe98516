/** Injection tokens of the controllers. */
export const DESTINATIONS = Symbol('destinations');
export const STREAMS = Symbol('streams');
export const FOLLOWER = Symbol('violation-follower');
