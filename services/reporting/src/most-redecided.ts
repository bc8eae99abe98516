/** Most events of a package whose verdicts are computed when it is built: this is done on the thread that also answers requests. */
export const MOST_REDECIDED = 5_000;
