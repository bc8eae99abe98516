import { setTimeout as delay } from 'node:timers/promises';
import { brokerAccess } from './access.js';
import { ClusterView } from './cluster-view.js';
import { findCoordinator } from './coordinator.js';
import type { KafkaLogOptions } from './options.js';

const ASK_MS = 5000;
const AGAIN_AFTER_MS = 250;
/** Coordinators that move, or are still loading, answer within this time. */
const WITHIN_MS = 15_000;

export interface GroupMemberAddress {
  readonly clientId: string;
  /** As the broker sees it. */
  readonly host: string;
}

type Access = Pick<KafkaLogOptions, 'brokers' | 'clientId' | 'tls' | 'sasl' | 'topicPrefix'>;

/**
 * The current members of a consumer group. A killed member is listed until its session ends, ten seconds later.
 * @param group its name without the prefix
 * @throws when no broker can answer
 */
export async function kafkaGroupMembers(options: Access, group: string): Promise<readonly GroupMemberAddress[]> {
  const prefix = options.topicPrefix ?? '';
  // One topic is named, since an empty list would mean all.
  const cluster = new ClusterView(options.brokers, brokerAccess(options), [`${prefix}agent-events`]);
  try {
    const until = performance.now() + WITHIN_MS;
    for (;;) {
      try {
        return await membersOf(cluster, prefix + group);
      } catch (error) {
        if (performance.now() > until) throw error;
      }
      await delay(AGAIN_AFTER_MS);
    }
  } finally {
    cluster.close();
  }
}

interface Described {
  readonly groups: readonly {
    readonly errorCode: number;
    readonly members: readonly { readonly clientId: string; readonly clientHost: string }[];
  }[];
}

async function membersOf(cluster: ClusterView, groupId: string): Promise<readonly GroupMemberAddress[]> {
  const { errorCode, address } = await findCoordinator(cluster, groupId);
  if (errorCode !== 0) throw new Error(`no broker looks after group ${groupId}: error ${errorCode}`);
  const { groups } = await cluster.to(address).ask<Described>('DescribeGroups', { groupIds: [groupId] }, ASK_MS);
  const found = groups[0];
  if (found === undefined || found.errorCode !== 0) {
    throw new Error(`who is in group ${groupId}: error ${String(found?.errorCode)}`);
  }
  return found.members.map(({ clientId, clientHost }) => ({ clientId, host: clientHost.replace(/^\//, '') }));
}
