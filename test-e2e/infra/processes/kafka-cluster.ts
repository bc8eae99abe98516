import { randomBytes } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheFolder } from '../installed.js';
import { kafkaBrokers, takesConnections } from './ask.js';
import { freePorts } from './free-port.js';
import { BROKER_SETTINGS, brokerCommand, writeProperties } from './kafka.js';
import { controls, ServerProcess, type Controls } from './server-process.js';

export interface KafkaClusterOptions {
  /**
   * `each`: every broker is a controller, and two stopped ones leave none. `apart`: a fourth process is the only
   * controller, so that two stopped brokers are removed from the lists of in-sync replicas. Default `each`.
   */
  readonly controllers?: 'each' | 'apart';
  /** Lines of each `server.properties` that are added or replaced. */
  readonly properties?: Readonly<Record<string, string | number>>;
}

/** One broker of a cluster, which can be killed, paused (`process.pause()`) and restarted. */
export interface ClusterBroker extends Controls {
  /** From 1. */
  readonly id: number;
  readonly address: string;
}

/** Three brokers (KRaft) with their own ports and data. */
export interface KafkaCluster {
  /** `host:port` of each, comma-separated. */
  readonly addresses: string;
  readonly brokers: readonly ClusterBroker[];
  /** The only one, with `apart`. */
  readonly controller: Controls | null;
  /** Ends all and removes their data. */
  stop(): Promise<void>;
}

/** A killed or paused broker loses its partitions after this time. */
export const CLUSTER_SESSION_MS = 3000;

const IDS = [1, 2, 3];
const CONTROLLER_APART = 4;
const READY_WITHIN_MS = 60_000;
const HEAP_MIB = 384;

/**
 * Starts all at once; resolves when each broker knows the others.
 * @throws Error with the log of a broker that does not start
 */
export async function startKafkaCluster(options: KafkaClusterOptions = {}): Promise<KafkaCluster> {
  const ports = await freePorts(2 * IDS.length + 1);
  const plain = (id: number): number => ports[id - 1] ?? 0;
  const controllers = options.controllers === 'apart' ? [CONTROLLER_APART] : IDS;
  const control = (id: number): number => ports[IDS.length + id - 1] ?? 0;
  const start = (id: number): Promise<ServerProcess> => {
    const roles = [...(IDS.includes(id) ? ['broker'] : []), ...(controllers.includes(id) ? ['controller'] : [])];
    const listeners = {
      broker: `PLAINTEXT://127.0.0.1:${plain(id)}`,
      controller: `CONTROLLER://127.0.0.1:${control(id)}`,
    };
    return ServerProcess.start(async () => ({
      name: `kafka-${id}`,
      readyWithinMs: READY_WITHIN_MS,
      prepare(folder) {
        formatAs(id, join(folder, 'data'));
        writeProperties(folder, {
          ...BROKER_SETTINGS,
          'process.roles': roles.join(','),
          'node.id': id,
          'controller.quorum.voters': controllers.map((one) => `${one}@127.0.0.1:${control(one)}`).join(','),
          listeners: roles.map((role) => listeners[role as 'broker' | 'controller']).join(','),
          ...(roles.includes('broker') ? { 'advertised.listeners': listeners.broker } : {}),
          'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
          ...CLUSTER_SETTINGS,
          ...options.properties,
        });
      },
      command: () => brokerCommand({ heapMiB: HEAP_MIB, startsFast: true }),
      answers: roles.includes('broker')
        ? async () => (await kafkaBrokers(plain(id))) > 0
        : () => takesConnections(control(id)),
    }));
  };
  const starting = await Promise.allSettled([...new Set([...IDS, ...controllers])].map(start));
  const processes = starting.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const stop = async (): Promise<void> => {
    await Promise.all(processes.map((process) => process.stop()));
  };
  try {
    const failed = starting.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
    if (failed.length > 0) throw new AggregateError(failed, failed.map(({ message }) => message).join('\n'));
    await Promise.all(IDS.map((id) => knowsAll(plain(id))));
  } catch (error) {
    await stop();
    throw error;
  }
  const brokers = IDS.map((id, n) => ({ id, address: `127.0.0.1:${plain(id)}`, ...controls(processes[n]!) }));
  const apart = processes[IDS.length];
  const controller = apart === undefined ? null : controls(apart);
  return { addresses: brokers.map(({ address }) => address).join(','), brokers, controller, stop };
}

const CLUSTER_SETTINGS = {
  'offsets.topic.replication.factor': IDS.length,
  'broker.session.timeout.ms': CLUSTER_SESSION_MS,
  // Partitions return to their preferred leader soon after it has returned.
  'leader.imbalance.check.interval.seconds': 2,
  'leader.imbalance.per.broker.percentage': 0,
};

/** Copies the formatted folder of broker 1, with another identity. */
function formatAs(id: number, folder: string): void {
  cpSync(join(cacheFolder(), 'kafka', 'formatted'), folder, { recursive: true });
  const file = join(folder, 'meta.properties');
  const directoryId = randomBytes(16).fill(1, 0, 1).toString('base64url');
  const text = readFileSync(file, 'utf8')
    .replace(/^node\.id=.*$/m, `node.id=${id}`)
    .replace(/^directory\.id=.*$/m, `directory.id=${directoryId}`);
  writeFileSync(file, text);
}

async function knowsAll(port: number): Promise<void> {
  for (const until = Date.now() + READY_WITHIN_MS; ; await sleep(50)) {
    if ((await kafkaBrokers(port).catch(() => 0)) === IDS.length) return;
    if (Date.now() > until) throw new Error('the brokers did not find each other');
  }
}
