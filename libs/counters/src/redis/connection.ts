import { Redis } from 'ioredis';

const CONNECT_MS = 2_000;
const SLOWEST_RETRY_MS = 1_000;

/** A connection, not opened yet, that does not queue or repeat commands, and reconnects by itself. */
export function redisConnection(url: string): Redis {
  return new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    disconnectTimeout: 500,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times - 1, 5), SLOWEST_RETRY_MS),
    // A primary that has become a replica: the address leads to the new one.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
}
