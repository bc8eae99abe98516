import { isInstalled } from '#infra/installed.js';
import { startKafka, type Kafka } from '#infra/processes/kafka.js';
import { startMongo, type Mongo } from '#infra/processes/mongo.js';
import { startRedis, type Redis } from '#infra/processes/redis.js';
import { startToxiproxy, type Toxiproxy } from '#infra/processes/toxiproxy.js';
import { distributedInstallation } from '../instance/distributed.js';
import { Instance, type StartOptions } from '../instance/instance.js';

/** Servers of one test file, to break them, and an installation of the distributed profile on them. */
export interface OwnServers {
  readonly kafka: Kafka;
  readonly mongo: Mongo;
  readonly redis: Redis;
  readonly toxiproxy: Toxiproxy;
  /** A new installation on them. */
  start(options?: Omit<StartOptions, 'dataDir'>): Promise<Instance>;
  /** Ends them and removes their data. */
  stop(): Promise<void>;
}

export async function startOwnServers(): Promise<OwnServers> {
  const proxy = await startToxiproxy();
  const { toxiproxy } = proxy;
  const starting = await Promise.allSettled([startKafka({ toxiproxy }), startMongo(), startRedis()]);
  const stop = async (): Promise<void> => {
    await Promise.all(starting.map(async (one) => (one.status === 'fulfilled' ? one.value.stop() : undefined)));
    await proxy.stop();
  };
  const [kafka, mongo, redis] = starting;
  if (kafka.status === 'rejected' || mongo.status === 'rejected' || redis.status === 'rejected') {
    await stop();
    throw new AggregateError(starting.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : [])));
  }
  return {
    kafka: kafka.value,
    mongo: mongo.value,
    redis: redis.value,
    toxiproxy,
    stop,
    async start(options = {}) {
      const installation = await distributedInstallation({
        kafka: kafka.value.brokers,
        mongo: mongo.value.uri,
        redis: redis.value.url,
      });
      try {
        return await Instance.startOn(installation, options);
      } catch (error) {
        await installation.discard();
        throw error;
      }
    },
  };
}

/** Runs where the servers can be started as processes; else it is skipped, and its name says what is missing. */
export function onOwnServers(what: string, tests: () => void): void {
  const installed = isInstalled('kafka', 'mongo', 'redis', 'toxiproxy');
  const run = installed ? describe : describe.skip;
  run(`${what}${installed ? '' : ' (needs test-e2e/infra/install.sh)'}`, tests);
}
