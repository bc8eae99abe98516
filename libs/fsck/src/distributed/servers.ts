import { openKafkaLog, readGroupMembers, type EventLog, type GroupMemberAddress } from '@countersign/event-log';
import type { Config } from '@countersign/process';
import { kafkaCredentials } from '@countersign/service-kit';
import { NotReadable } from './refusals.js';

const CLIENT_ID = 'countersign-fsck';

/** The result of `work`. @throws NotReadable naming the server, where it rejects */
export async function reading<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new NotReadable(`${what} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** @throws NotReadable */
export function uriOf({ mongodbUri }: Config): string {
  if (mongodbUri === null) throw new NotReadable('MONGODB_URI is missing');
  return mongodbUri;
}

export async function openServerLog(config: Config): Promise<EventLog> {
  return openKafkaLog({
    ...(await accessOf(config)),
    allowSingleBroker: config.allowSingleBroker,
    mustExist: true,
    sendTimeoutMs: 10_000,
    openTimeoutMs: 10_000,
  });
}

/** Who is in a service's consumer group. */
export async function membersOf(config: Config, group: string): Promise<readonly GroupMemberAddress[]> {
  return readGroupMembers(await accessOf(config), group);
}

async function accessOf(config: Config) {
  return {
    brokers: config.kafkaBrokers,
    ...(await kafkaCredentials(config)),
    clientId: CLIENT_ID,
    topicPrefix: config.kafkaTopicPrefix,
  };
}
