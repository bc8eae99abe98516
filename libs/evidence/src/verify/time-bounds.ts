/**
 * Tolerated difference between the chain's clock and the authority's. A block time is the median of what validators
 * report, in whole seconds, and lags while the network is slow.
 */
export const CLOCK_TOLERANCE_SECONDS = 300;

/**
 * Time after its end, beyond its duration, within which a window is anchored on time: transactions expire and are sent
 * again, nodes fail over. Later, nothing shows that the window existed when it ended.
 */
export const LATE_SECONDS = 3600;
