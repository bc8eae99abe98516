/**
 * By how much the chain's clock may differ from that of who anchors. A block time is the median of what validators say,
 * in whole seconds, and lags behind while the network is slow.
 */
export const CLOCK_TOLERANCE_SECONDS = 300;

/**
 * How long after its end, beyond its duration, a window may be anchored and still be on time: transactions expire and are
 * sent again, nodes change over. Later, nothing shows that the window existed when it ended.
 */
export const LATE_SECONDS = 3600;
