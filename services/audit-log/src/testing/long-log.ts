import { logOf, type PartitionedLog } from './partitioned-log.js';

export const LONG = 600;

/** {@link LONG} events in a fixed order, one in six of them a repetition of an earlier one. */
export function longLog(): PartitionedLog {
  return logOf(Array.from({ length: LONG }, (_, n) => (n % 6 === 5 ? Math.floor(n / 3) : n)));
}
