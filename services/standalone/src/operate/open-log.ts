import { openKafkaLog, type EventLog } from '@countersign/event-log';
import type { Config } from '@countersign/process';
import { kafkaCredentials } from '@countersign/service-kit';

const WITHIN_MS = 10_000;

/**
 * The log of a distributed installation, for a command that works on it while services are stopped.
 * @param clientId what the brokers are told
 * @throws where no broker answers, or the topics are not there: an installation has them
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
