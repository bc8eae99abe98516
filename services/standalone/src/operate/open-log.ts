import { openKafkaLog, type EventLog } from '@countersign/event-log';
import type { Config } from '@countersign/process';
import { kafkaCredentials } from '@countersign/service-kit';

const WITHIN_MS = 10_000;

/**
 * Opens the log of a distributed installation, for a command that works on it while services are stopped.
 * @param clientId sent to the brokers
 * @throws if no broker answers, or the topics of an installation are missing
 */
export async function openLog(config: Config, clientId: string): Promise<EventLog> {
  return openKafkaLog({
    brokers: config.kafkaBrokers,
    ...(await kafkaCredentials(config)),
    clientId,
    topicPrefix: config.kafkaTopicPrefix,
    allowSingleBroker: config.allowSingleBroker,
    mustExist: true,
    sendTimeoutMs: WITHIN_MS,
    openTimeoutMs: WITHIN_MS,
  });
}
