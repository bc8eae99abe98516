import { GenericContainer, Wait, type StartedTestContainer } from 'testcontainers';
import { freePort } from '../processes/free-port.js';

/** Pinned like in a deployment. */
const IMAGES = {
  kafka: 'apache/kafka:4.3.1',
  mongo: 'mongo:8.0.12',
  redis: 'redis:7.4.5-alpine',
} as const;

const MINUTES = 60_000;

export interface Contained {
  readonly address: string;
  readonly stop: () => Promise<void>;
}

/** A broker with the same port inside and outside, since it advertises its address to clients. */
export async function containKafka(): Promise<Contained> {
  const port = await freePort();
  const started = await new GenericContainer(IMAGES.kafka)
    .withExposedPorts({ container: port, host: port })
    .withEnvironment({
      KAFKA_NODE_ID: '1',
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
      KAFKA_LISTENERS: `PLAINTEXT://0.0.0.0:${port},CONTROLLER://localhost:9093`,
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://127.0.0.1:${port}`,
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_INTER_BROKER_LISTENER_NAME: 'PLAINTEXT',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
      KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR: '1',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
      KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
    })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .withStartupTimeout(5 * MINUTES)
    .start();
  return contained(started, `127.0.0.1:${port}`);
}

/** A replica set of one. */
export async function containMongo(): Promise<Contained> {
  const started = await new GenericContainer(IMAGES.mongo)
    .withExposedPorts(27017)
    .withCommand(['mongod', '--replSet', 'rs0', '--bind_ip_all'])
    .withWaitStrategy(Wait.forLogMessage(/Waiting for connections/))
    .withStartupTimeout(5 * MINUTES)
    .start();
  const set = "rs.initiate({_id: 'rs0', members: [{_id: 0, host: '127.0.0.1:27017'}]})";
  const primary = 'while (!db.hello().isWritablePrimary) sleep(50)';
  const { exitCode, output } = await started.exec(['mongosh', '--quiet', '--eval', `${set}; ${primary}`]);
  if (exitCode !== 0) {
    await started.stop();
    throw new Error(`the replica set of one was not made: ${output}`);
  }
  const address = `${started.getHost()}:${started.getMappedPort(27017)}`;
  return contained(started, `mongodb://${address}/?directConnection=true`);
}

export async function containRedis(): Promise<Contained> {
  const started = await new GenericContainer(IMAGES.redis)
    .withExposedPorts(6379)
    .withCommand(['redis-server', '--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''])
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .withStartupTimeout(5 * MINUTES)
    .start();
  return contained(started, `redis://${started.getHost()}:${started.getMappedPort(6379)}`);
}

function contained(started: StartedTestContainer, address: string): Contained {
  return { address, stop: async () => void (await started.stop()) };
}
