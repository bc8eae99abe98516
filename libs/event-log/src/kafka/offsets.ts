import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterView } from './cluster-view.js';

const ASK_MS = 5000;
const PATIENCE_MS = 30_000;
const AGAIN_AFTER_MS = 100;
/** Answers that another broker, or the same one a moment later, would give otherwise. */
const PASSING: readonly number[] = [3, 5, 6, 9, 13, 56, 74, 75, 78];

export type Edge = 'begin' | 'end';

interface ListAnswer {
  readonly responses: readonly {
    partitions: readonly { partition: number; errorCode: number; offset: string }[];
  }[];
}

/** Tries again what fails for the moment, with fresh leaders, up to 30 s: a new topic may wait so long for its leaders while brokers are busy. */
export async function withPatience<T>(cluster: ClusterView, attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof Lasting || Date.now() > deadline) throw error;
      await delay(AGAIN_AFTER_MS);
      await cluster.refresh().catch(() => undefined);
    }
  }
}

/** An error that time does not heal. */
export class Lasting extends Error {
  override readonly name = 'Lasting';
}

/** The first kept offset, or one past the last replicated one, of each partition of `topic` (its name at the brokers). */
export function edgeOffsets(cluster: ClusterView, topic: string, edge: Edge): Promise<Record<number, number>> {
  return withPatience(cluster, async () => {
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
            const kind = PASSING.includes(errorCode) ? Error : Lasting;
            throw new kind(`offsets of ${topic}/${partition}: the broker answered with error ${errorCode}`);
          }
          offsets[partition] = Number(offset);
        }
      }),
    );
    return offsets;
  });
}
