import { Redis } from 'ioredis';

/** Removes everything below a prefix. */
export async function removeKeys(url: string, prefix: string): Promise<void> {
  const redis = new Redis(url);
  for await (const names of redis.scanStream({ match: `${prefix}*`, count: 1000 })) {
    if ((names as string[]).length > 0) await redis.unlink(...(names as string[]));
  }
  redis.disconnect();
}
