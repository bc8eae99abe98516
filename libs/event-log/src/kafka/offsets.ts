import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterView } from './cluster-view.js';

const ASK_MS = 5000;
const RETRY_MS = 30_000;
const AGAIN_AFTER_MS = 100;
/** Error codes after which another broker, or the same one a moment later, may answer differently. */
const TRANSIENT: readonly number[] = [3, 5, 6, 9, 13, 56, 74, 75, 78];

export type Edge = 'begin' | 'end';

interface ListAnswer {
  readonly responses: readonly {
    partitions: readonly { partition: number; errorCode: number; offset: string }[];
  }[];
}

/**
 * Retries transient failures, with fresh leaders, for up to 30 s: a new topic may wait that long for its leaders while
 * brokers are busy.
 */
export async function withRetries<T>(cluster: ClusterView, attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + RETRY_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof PermanentError || Date.now() > deadline) throw error;
      await delay(AGAIN_AFTER_MS);
      await cluster.refresh().catch(() => undefined);
    }
  }
}

/** An error that a retry does not fix. */
class PermanentError extends Error {
  override readonly name = 'PermanentError';
}

/**
 * The first retained offset, or one past the last replicated one, of each partition of `topic` (its name at the
 * brokers).
 */
export function edgeOffsets(cluster: ClusterView, topic: string, edge: Edge): Promise<Record<number, number>> {
  return withRetries(cluster, async () => {
    const leaders = cluster.topic(topic)?.leaders;
    if (leaders === undefined) throw new Error(`Kafka has no topic ${topic}`);
    const partitionsOf = new Map<string, number[]>();
    for (const [partition, leader] of leaders.entries()) {
      if (leader === null) throw new Error(`${topic}/${partition} has no leader`);
      const group = partitionsOf.get(leader);
      if (group === undefined) partitionsOf.set(leader, [partition]);
      else group.push(partition);
    }
    const offsets: Record<number, number> = {};
    await Promise.all(
      [...partitionsOf].map(async ([leader, partitions]) => {
        const timestamp = edge === 'begin' ? -2 : -1;
        const topics = [{ topic, partitions: partitions.map((partition) => ({ partition, timestamp })) }];
        const answer = await cluster.to(leader).ask<ListAnswer>('ListOffsets', { topics, isolationLevel: 0 }, ASK_MS);
        for (const { partition, errorCode, offset } of answer.responses.flatMap((response) => response.partitions)) {
          if (errorCode !== 0) {
            const kind = TRANSIENT.includes(errorCode) ? Error : PermanentError;
            throw new kind(`offsets of ${topic}/${partition}: the broker answered with error ${errorCode}`);
          }
          offsets[partition] = Number(offset);
        }
      }),
    );
    return offsets;
  });
}
