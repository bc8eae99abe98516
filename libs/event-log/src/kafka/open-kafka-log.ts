import type { EventLog } from '../port.js';
import type { GroupMemberAddress } from './group-members.js';
import type { KafkaLogOptions } from './options.js';

/**
 * Opens the log of the distributed profile: creates the topics that are missing and checks those that exist. Loads the
 * driver on the first call. Rejects with `LogDamaged` naming every topic and setting that is worse than needed, or,
 * after `openTimeoutMs`, that there are fewer brokers than a topic has replicas; at once with an error that names the
 * reason when a broker's certificate or the client's credentials are not accepted; with another error when no broker
 * answered within `openTimeoutMs`.
 */
export async function openKafkaLog(options: KafkaLogOptions): Promise<EventLog> {
  const { openLog } = await import('./kafka-log.js');
  return openLog(options);
}

/**
 * The current members of a consumer group of the distributed profile. A killed member is listed until its session ends.
 * Loads the driver on the first call.
 * @param group as in `ConsumeOptions`
 * @throws when no broker can answer
 */
export async function readGroupMembers(
  options: Pick<KafkaLogOptions, 'brokers' | 'clientId' | 'tls' | 'sasl' | 'topicPrefix'>,
  group: string,
): Promise<readonly GroupMemberAddress[]> {
  const { kafkaGroupMembers } = await import('./group-members.js');
  return kafkaGroupMembers(options, group);
}
