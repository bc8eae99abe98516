import { execFileSync } from 'node:child_process';
import { notInstalled } from '#infra/installed.js';
import { startKafka } from '#infra/processes/kafka.js';
import { startMongo } from '#infra/processes/mongo.js';
import { startRedis } from '#infra/processes/redis.js';
import type { Controls } from '#infra/processes/server-process.js';
import { cpuSecondsOf } from '../subjects/process-figures.js';

export type ServerKind = 'kafka' | 'mongo' | 'redis';

/** Servers for this run only, as local processes. */
export interface BenchServers {
  readonly env: Readonly<Record<string, string>>;
  /** Pins all their threads to these cores, in the syntax of `taskset`; `null` if pinning is not possible. */
  bind(cores: string | null): void;
  /** CPU time of each so far, s. */
  cpuSeconds(): Promise<Readonly<Record<ServerKind, number>>>;
  stop(): Promise<void>;
}

/** @throws Error if they are not installed */
export async function startBenchServers(): Promise<BenchServers> {
  const missing = notInstalled().filter((name) => name !== 'toxiproxy');
  if (missing.length > 0) {
    throw new Error(`${missing.join(', ')} must be installed to measure this: npm run infra -- install`);
  }
  const [kafka, mongo, redis] = await allOrNone([startKafka(), startMongo(), startRedis()] as const);
  const all: Readonly<Record<ServerKind, Controls>> = { kafka, mongo, redis };
  const { href: mongoUri } = databaseAt(mongo.uri, 'countersign');
  return {
    env: {
      KAFKA_BROKERS: kafka.brokers,
      MONGODB_URI: mongoUri,
      REDIS_URL: redis.url,
      // Required; not used by anything that is measured.
      SOLANA_RPC_URL: 'http://127.0.0.1:9',
    },
    bind(cores) {
      if (cores === null) return;
      for (const { process } of Object.values(all)) {
        execFileSync('taskset', ['-a', '-p', '-c', cores, String(process.pid)], { stdio: 'ignore' });
      }
    },
    async cpuSeconds() {
      const seconds = (kind: ServerKind): Promise<number> => cpuSecondsOf(all[kind].process.pid);
      return { kafka: await seconds('kafka'), mongo: await seconds('mongo'), redis: await seconds('redis') };
    },
    async stop() {
      await Promise.all(Object.values(all).map((server) => server.stop()));
    },
  };
}

/** The same server, with a database of that name. */
export function databaseAt(uri: string, name: string): URL {
  const url = new URL(uri);
  url.pathname = `/${name}`;
  return url;
}

async function allOrNone<A extends Controls, B extends Controls, C extends Controls>(
  starting: readonly [Promise<A>, Promise<B>, Promise<C>],
): Promise<readonly [A, B, C]> {
  const results = await Promise.allSettled(starting);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined) return Promise.all(starting);
  for (const result of results) if (result.status === 'fulfilled') await result.value.stop();
  throw failed.reason;
}
