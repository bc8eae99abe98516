import type { ClusterView } from './cluster-view.js';

const ASK_MS = 5000;

export interface CoordinatorAnswer {
  /** Of the Kafka protocol; 0: found. */
  readonly errorCode: number;
  /** `host:port` */
  readonly address: string;
}

/** Asks any broker for the coordinator of a consumer group. */
export async function findCoordinator(cluster: ClusterView, groupId: string): Promise<CoordinatorAnswer> {
  await cluster.refresh();
  const question = { coordinatorKey: groupId, groupId, coordinatorType: 0 };
  const { errorCode, coordinator } = await cluster
    .any()
    .ask<{ errorCode: number; coordinator: { host: string; port: number } }>('GroupCoordinator', question, ASK_MS);
  return { errorCode, address: `${coordinator.host}:${coordinator.port}` };
}
