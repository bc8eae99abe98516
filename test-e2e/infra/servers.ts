import { containerEngineAnswers, isInstalled, notInstalled, type ServerName } from './installed.js';
import { startKafka } from './processes/kafka.js';
import { startMongo } from './processes/mongo.js';
import { startRedis } from './processes/redis.js';
import type { ServerProcess } from './processes/server-process.js';
import { startToxiproxy } from './processes/toxiproxy.js';

/** Variables with the address of each server. */
export const VARIABLES = {
  kafka: 'COUNTERSIGN_TEST_KAFKA_BROKERS',
  mongo: 'COUNTERSIGN_TEST_MONGODB_URI',
  redis: 'COUNTERSIGN_TEST_REDIS_URL',
  toxiproxy: 'COUNTERSIGN_TEST_TOXIPROXY_URL',
} as const satisfies Record<ServerName, string>;

export interface Servers {
  readonly kind: 'containers' | 'processes';
  readonly addresses: Readonly<Partial<Record<ServerName, string>>>;
  /**
   * Starts a server again, on its address and with its data, that ends by itself: one that crashed would fail every later
   * test. Does nothing for containers.
   * @param say gets a sentence on each
   */
  readonly keep: (say: (line: string) => void) => void;
  readonly stop: () => Promise<void>;
}

export interface NoServers {
  readonly kind: 'none';
  /** Reason, and how to provide them. */
  readonly reason: string;
}

export type Mode = 'off' | 'required' | 'when there';

/** @throws Error if `COUNTERSIGN_TEST_INFRA` is neither `required` nor `off`. */
export function mode(): Mode {
  const said = process.env['COUNTERSIGN_TEST_INFRA'] ?? '';
  if (said === '') return 'when there';
  if (said === 'off' || said === 'required') return said;
  throw new Error('COUNTERSIGN_TEST_INFRA must be required or off, or be left out');
}

/**
 * Starts these servers once for all tests: in containers if an engine answers, else as processes.
 * @throws Error if a required server is missing, or one does not start.
 */
export async function startServers(names: readonly ServerName[], how: Mode): Promise<Servers | NoServers> {
  if (how === 'off') return { kind: 'none', reason: 'COUNTERSIGN_TEST_INFRA=off' };
  if (containerEngineAnswers()) return started('containers', names, containers());
  const missing = notInstalled();
  if (missing.length === 0) return started('processes', names, PROCESSES);
  const reason = `no container engine answers and ${missing.join(', ')} not installed: run test-e2e/infra/install.sh`;
  if (how === 'required') throw new Error(`COUNTERSIGN_TEST_INFRA=required, but ${reason}`);
  return { kind: 'none', reason };
}

interface Running {
  readonly address: string;
  readonly process?: ServerProcess;
  readonly stop: () => Promise<void>;
}
type Starters = Readonly<Partial<Record<ServerName, () => Promise<Running>>>>;

const PROCESSES: Starters = {
  kafka: async () => {
    const { brokers, process, stop } = await startKafka();
    return { address: brokers, process, stop };
  },
  mongo: async () => {
    const { uri, process, stop } = await startMongo();
    // All tests keep it busy: a heartbeat that is late by seconds would end all operations in progress.
    return { address: `${uri}&connectTimeoutMS=15000`, process, stop };
  },
  redis: async () => {
    const { url, process, stop } = await startRedis();
    return { address: url, process, stop };
  },
  toxiproxy: async () => {
    const { toxiproxy, stop } = await startToxiproxy();
    return { address: toxiproxy.url, stop };
  },
};

/** A proxy in a container would not reach processes of the host: toxiproxy is always a process. */
function containers(): Starters {
  return {
    kafka: async () => (await import('./containers/containers.js')).containKafka(),
    mongo: async () => (await import('./containers/containers.js')).containMongo(),
    redis: async () => (await import('./containers/containers.js')).containRedis(),
    ...(PROCESSES.toxiproxy === undefined || !isInstalled('toxiproxy') ? {} : { toxiproxy: PROCESSES.toxiproxy }),
  };
}

async function started(kind: Servers['kind'], names: readonly ServerName[], starters: Starters): Promise<Servers> {
  const wanted = names.flatMap((name) => {
    const start = starters[name];
    return start === undefined ? [] : [{ name, start }];
  });
  const results = await Promise.allSettled(wanted.map(async ({ name, start }) => ({ name, ...(await start()) })));
  const running = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const stop = async (): Promise<void> => void (await Promise.allSettled(running.map((server) => server.stop())));
  const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
  if (failed.length > 0) {
    await stop();
    throw new Error(failed.map(({ message }) => message).join('\n'));
  }
  const addresses = Object.fromEntries(running.map(({ name, address }) => [name, address]));
  const keep: Servers['keep'] = (say) => {
    for (const { process } of running) process?.keep(say);
  };
  return { kind, addresses, keep, stop };
}
