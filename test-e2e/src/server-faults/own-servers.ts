import { isInstalled } from '#infra/installed.js';
import { startKafka, type Kafka } from '#infra/processes/kafka.js';
import { startKafkaCluster, type KafkaCluster, type KafkaClusterOptions } from '#infra/processes/kafka-cluster.js';
import { startMongo, type Mongo } from '#infra/processes/mongo.js';
import { startRedis, type Redis } from '#infra/processes/redis.js';
import { startToxiproxy, type Toxiproxy } from '#infra/processes/toxiproxy.js';
import { distributedInstallation } from '../instance/distributed.js';
import { Instance } from '../instance/instance.js';
import type { Installation } from '../instance/installation.js';
import type { Session } from '../torture/recorded.js';
import { stopLoads } from './steady-load.js';
import { newAgents } from './whole.js';

/** One broker behind a proxy. */
export interface ProxiedKafka extends Kafka {
  readonly toxiproxy: Toxiproxy;
}

export interface OwnOptions<K> {
  /** Environment of every instance. */
  readonly env: (kafka: K) => Readonly<Record<string, string>>;
  /** Number of agents to create; default 6. */
  readonly agents?: number;
}

/** Addresses of the kind of Kafka. */
interface Brokers<K> {
  readonly kafka: K;
  readonly addresses: string;
  readonly alone: boolean;
  stop(): Promise<void>;
}

/** Servers of one test file, for fault injection, and an instance with some agents that runs on them. */
class OwnServers<K> {
  readonly #stops: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly kafka: K,
    readonly mongo: Mongo,
    readonly redis: Redis,
    readonly addresses: { readonly kafka: string; readonly alone: boolean },
    readonly env: Readonly<Record<string, string>>,
  ) {}

  instance!: Instance;
  session!: Session;
  agentIds: readonly string[] = [];

  /** Nothing runs if it rejects. */
  static async start<K>(startBrokers: () => Promise<Brokers<K>>, options: OwnOptions<K>): Promise<OwnServers<K>> {
    const starting = await Promise.allSettled([startBrokers(), startMongo(), startRedis()]);
    const stop = () =>
      Promise.all(starting.map(async (one) => (one.status === 'fulfilled' ? one.value.stop() : undefined)));
    const [brokers, mongo, redis] = starting;
    if (brokers.status === 'rejected' || mongo.status === 'rejected' || redis.status === 'rejected') {
      await stop();
      throw new AggregateError(starting.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : [])));
    }
    const { kafka, addresses, alone } = brokers.value;
    const env = options.env(kafka);
    const own = new OwnServers(kafka, mongo.value, redis.value, { kafka: addresses, alone }, env);
    own.#stops.push(stop);
    try {
      own.instance = await Instance.startOn(await own.newInstallation(), { env });
      own.session = await own.instance.session();
      own.agentIds = await newAgents(own.instance, own.session, options.agents ?? 6);
      return own;
    } catch (error) {
      await own.stop();
      throw error;
    }
  }

  /** Another installation on these servers, removed with them. */
  async newInstallation(): Promise<Installation> {
    const installation = await distributedInstallation({
      kafka: this.addresses.kafka,
      mongo: this.mongo.uri,
      redis: this.redis.url,
      singleBroker: this.addresses.alone,
    });
    this.#stops.unshift(() => installation.discard());
    return installation;
  }

  /** Starts an instance on the data of the previous one, which has ended. */
  async startAgain(): Promise<void> {
    this.instance = await this.instance.startAgain({ env: this.env });
    this.session = await this.instance.session();
  }

  /** Ends everything and removes its data. */
  async stop(): Promise<void> {
    await (this.instance as Instance | undefined)?.kill();
    for (const stop of this.#stops) await stop();
  }
}

const STARTS_WITHIN_MS = 180_000;
const STOPS_WITHIN_MS = 90_000;

/**
 * Runs the tests on dedicated servers with one broker behind a proxy. `own` returns them, inside the tests. If
 * they cannot be started as processes, all is skipped, and the name lists them.
 */
export function onOwnServers(
  what: string,
  options: OwnOptions<ProxiedKafka>,
  tests: (own: () => OwnServers<ProxiedKafka>) => void,
): void {
  onServers(what, options, tests, async () => {
    const { toxiproxy, stop: stopProxy } = await startToxiproxy();
    try {
      const broker = await startKafka({ toxiproxy });
      const kafka = { ...broker, toxiproxy };
      const stop = async (): Promise<void> => {
        await broker.stop();
        await stopProxy();
      };
      return { kafka, addresses: kafka.brokers, alone: true, stop };
    } catch (error) {
      await stopProxy();
      throw error;
    }
  });
}

/** Like `onOwnServers`, with three brokers, and with topics that have a copy on each. */
export function onOwnCluster(
  what: string,
  options: OwnOptions<KafkaCluster> & KafkaClusterOptions,
  tests: (own: () => OwnServers<KafkaCluster>) => void,
): void {
  onServers(what, options, tests, async () => {
    const kafka = await startKafkaCluster(options);
    return { kafka, addresses: kafka.addresses, alone: false, stop: () => kafka.stop() };
  });
}

function onServers<K>(
  what: string,
  options: OwnOptions<K>,
  tests: (own: () => OwnServers<K>) => void,
  startBrokers: () => Promise<Brokers<K>>,
): void {
  const installed = isInstalled('kafka', 'mongo', 'redis', 'toxiproxy');
  const run = installed ? describe : describe.skip;
  run(`${what}${installed ? '' : ' (needs test-e2e/infra/install.sh)'}`, () => {
    let own: OwnServers<K> | null = null;
    beforeAll(async () => {
      own = await OwnServers.start(startBrokers, options);
    }, STARTS_WITHIN_MS);
    afterEach(stopLoads);
    afterAll(async () => own?.stop(), STOPS_WITHIN_MS);
    tests(() => {
      if (own === null) throw new Error('the servers do not run yet');
      return own;
    });
  });
}
