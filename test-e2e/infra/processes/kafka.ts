import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../installed.js';
import { kafkaBrokers } from './ask.js';
import { freePorts } from './free-port.js';
import { controls, ServerProcess, type Controls, type Recipe } from './server-process.js';
import type { Toxiproxy } from './toxiproxy.js';

export interface KafkaOptions {
  /** Adds a listener behind a proxy of this toxiproxy. */
  readonly toxiproxy?: Toxiproxy;
  /** Lines of `server.properties` that are added or replaced. */
  readonly properties?: Readonly<Record<string, string | number>>;
  /** Its heap, MiB; default 512. */
  readonly heapMiB?: number;
}

/** A dedicated broker: KRaft, one node, without automatic creation of topics. */
export interface Kafka extends Controls {
  /** `host:port`. */
  readonly brokers: string;
  /** The same broker through the proxy `proxy`: clients that start there stay there. `null` without toxiproxy. */
  readonly proxied: { readonly brokers: string; readonly proxy: string } | null;
}

const READY_WITHIN_MS = 60_000;

/** Starts a broker; resolves when it takes requests, after about four seconds. */
export async function startKafka(options: KafkaOptions = {}): Promise<Kafka> {
  const { toxiproxy, heapMiB = 512 } = options;
  let port = 0;
  let behind = 0;
  let before = 0;
  const process = await ServerProcess.start(async (): Promise<Recipe> => {
    const [plain = 0, controller = 0, listens = 0, advertised = 0] = await freePorts(4);
    [port, behind, before] = [plain, listens, advertised];
    return {
      name: 'kafka',
      readyWithinMs: READY_WITHIN_MS,
      prepare(folder) {
        cpSync(join(cacheFolder(), 'kafka', 'formatted'), join(folder, 'data'), { recursive: true });
        writeProperties(folder, { ...settings(plain, controller, listens, advertised), ...options.properties });
      },
      command: () => brokerCommand({ heapMiB }),
      answers: async () => (await kafkaBrokers(plain)) > 0,
    };
  });
  const proxy = `kafka-${before}`;
  if (toxiproxy !== undefined) await toxiproxy.add(proxy, before, behind);
  return {
    brokers: `127.0.0.1:${port}`,
    proxied: toxiproxy === undefined ? null : { brokers: `127.0.0.1:${before}`, proxy },
    ...controls(process),
    async stop() {
      if (toxiproxy !== undefined) await toxiproxy.remove(proxy).catch(() => undefined);
      await process.stop();
    },
  };
}

/** `startsFast`: less compilation, for several on few cores. */
export function brokerCommand(options: {
  readonly heapMiB: number;
  readonly startsFast?: boolean;
}): readonly [string, ...string[]] {
  const fast = options.startsFast === true;
  return [
    'java',
    fast ? '-Xms128m' : '-Xms256m',
    `-Xmx${options.heapMiB}m`,
    ...(fast ? ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'] : ['-XX:+UseG1GC']),
    '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
    '-cp',
    join(cacheFolder(), 'kafka', 'libs', '*'),
    'kafka.Kafka',
    'server.properties',
  ];
}

export function writeProperties(folder: string, properties: Readonly<Record<string, string | number>>): void {
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(folder, 'server.properties'), lines.join(''));
}

function settings(plain: number, controller: number, listens: number, advertised: number) {
  return {
    ...BROKER_SETTINGS,
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    listeners: `PLAINTEXT://127.0.0.1:${plain},PROXIED://127.0.0.1:${listens},CONTROLLER://127.0.0.1:${controller}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${plain},PROXIED://127.0.0.1:${advertised}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT',
  };
}

/** Settings of every broker, alone or in a cluster. */
export const BROKER_SETTINGS = {
  'controller.listener.names': 'CONTROLLER',
  'inter.broker.listener.name': 'PLAINTEXT',
  'log.dirs': 'data',
  'offsets.topic.replication.factor': 1,
  'offsets.topic.num.partitions': 5,
  'transaction.state.log.replication.factor': 1,
  'transaction.state.log.min.isr': 1,
  'share.coordinator.state.topic.replication.factor': 1,
  'share.coordinator.state.topic.min.isr': 1,
  'group.initial.rebalance.delay.ms': 0,
  'auto.create.topics.enable': 'false',
  // A killed broker can rejoin within seconds.
  'broker.heartbeat.interval.ms': 500,
  'broker.session.timeout.ms': 2000,
} as const;
