import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { freePort } from '#infra/processes/free-port.js';
import { newDataDir, type Installation } from './installation.js';
import { startLocalnet } from './localnet-process.js';

/** Variables of the shared servers for an instance of the distributed profile. */
const SERVERS = {
  kafka: 'COUNTERSIGN_TEST_KAFKA_BROKERS',
  mongo: 'COUNTERSIGN_TEST_MONGODB_URI',
  redis: 'COUNTERSIGN_TEST_REDIS_URL',
} as const;

/** The variables that are not set. */
export function missingServers(): readonly string[] {
  return Object.values(SERVERS).filter((name) => addressOf(name) === '');
}

const addressOf = (name: string): string => process.env[name] ?? '';

/** Addresses of an installation's servers. */
export interface ServerAddresses {
  readonly kafka: string;
  /** Without the name of a database. */
  readonly mongo: string;
  readonly redis: string;
  /** Creates and accepts topics with one copy; default true. */
  readonly singleBroker?: boolean;
}

/** A separate network, and separate names on these servers; default: those that all tests share. */
export async function distributedInstallation(own?: ServerAddresses): Promise<Installation> {
  const servers: ServerAddresses = own ?? {
    kafka: addressOf(SERVERS.kafka),
    mongo: addressOf(SERVERS.mongo),
    redis: addressOf(SERVERS.redis),
  };
  const dataDir = newDataDir();
  const name = `e2e-${randomBytes(5).toString('hex')}.`;
  const brokers = servers.kafka;
  const redisUrl = servers.redis;
  const mongoUri = databaseUri(servers.mongo, name.slice(0, -1));
  const port = await freePort();
  const localnet = await startLocalnet(dataDir);
  return {
    profile: 'distributed',
    sharesServers: own === undefined,
    dataDir,
    baseUrl: `http://127.0.0.1:${port}`,
    env: {
      COUNTERSIGN_PROFILE: 'distributed',
      COUNTERSIGN_DATA_DIR: dataDir,
      COUNTERSIGN_PORT: String(port),
      ...((servers.singleBroker ?? true) ? { COUNTERSIGN_ALLOW_SINGLE_BROKER: 'true' } : {}),
      COUNTERSIGN_OPEN_REGISTRATION: 'true',
      COUNTERSIGN_KAFKA_TOPIC_PREFIX: name,
      COUNTERSIGN_REDIS_PREFIX: name,
      KAFKA_BROKERS: brokers,
      MONGODB_URI: mongoUri,
      REDIS_URL: redisUrl,
      SOLANA_RPC_URL: localnet.rpcUrl,
    },
    async discard() {
      await localnet.end();
      // Loaded on demand: the drivers load slowly.
      const { cleanUp } = await import('#infra/clean-up.js');
      await cleanUp({ brokers, topicPrefix: name, mongoUri, redisUrl, keyPrefix: name });
      rmSync(dirname(dataDir), { recursive: true, force: true });
    },
  };
}

/** The same servers, with another database. */
function databaseUri(uri: string, database: string): string {
  const url = new URL(uri);
  url.pathname = `/${database}`;
  return url.href;
}
