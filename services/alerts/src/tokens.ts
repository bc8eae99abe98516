/** What the controllers of alerts are given. */
export const DESTINATIONS = Symbol('destinations');
export const FOLLOWER = Symbol('violation-follower');
