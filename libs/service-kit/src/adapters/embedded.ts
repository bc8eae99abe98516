import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import type { MessagePort, TransferListItem } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Config } from '@countersign/process';
import { AddressInUse } from '@countersign/http-edge';
import { backendsOf } from './backends.js';
import type { Backends } from './backends.js';

/** Ports from which another thread opens the same backends. */
export interface SharedBackends {
  readonly writer: MessagePort;
  readonly counters: MessagePort;
}

export interface EmbeddedBackends extends Backends {
  /** JSON-RPC addresses of the chain; known once the embedded network listens. */
  readonly rpcUrls: Promise<readonly string[]>;
  /** Resolves with the reason when a thread has ended that the process needs. */
  readonly died: Promise<Error>;
  share(): { readonly shared: SharedBackends; readonly transfer: readonly TransferListItem[] };
}

const MAINTENANCE_MS = 60 * 60 * 1000;
/** Soon after the start, so that the log of a process that never runs for long is maintained as well. */
const FIRST_MAINTENANCE_MS = 2_000;
const FINALITY_MS = 1000;

const logFile = (config: Config): string => join(config.dataDir, 'log.db');

/** Opens log, counters and chain of the embedded profile in the first thread. Drivers are loaded here and nowhere else. */
export async function openEmbedded(config: Config, log: Logger): Promise<EmbeddedBackends> {
  const network = startNetwork(config);
  // Awaited by its first user; until then a failure must not count as unhandled.
  network.catch(() => undefined);
  const [{ openSqliteLog }, { CLAIM_BOUNDS, InProcessCounters, serveCounters }] = await Promise.all([
    import('@countersign/event-log'),
    import('@countersign/counters'),
  ]);
  const eventLog = await openSqliteLog({ file: logFile(config), keptFreeBytes: config.minFreeBytes });
  const counters = new InProcessCounters({
    claimBounds: { ...CLAIM_BOUNDS, account: config.idempotencyKeysPerAccount },
  });
  const maintain = (): void => {
    eventLog
      .maintain(Date.now())
      .catch((error: unknown) => log.error({ err: error }, 'the event log was not maintained'));
  };
  const maintenance = setInterval(maintain, MAINTENANCE_MS);
  maintenance.unref();
  const first = setTimeout(maintain, FIRST_MAINTENANCE_MS);
  first.unref();
  const rpcUrls = network.then(({ urls }) => urls);
  rpcUrls.catch(() => undefined);
  const backends = backendsOf(eventLog, counters, () => rpcUrls);
  const networkDied = network.then(
    ({ died }) => died,
    (error: Error) => error,
  );
  return {
    ...backends,
    rpcUrls,
    died: Promise.race([eventLog.died, networkDied]),
    share() {
      const channel = new MessageChannel();
      serveCounters(counters, channel.port1);
      const shared = { writer: eventLog.connectPort(), counters: channel.port2 };
      return { shared, transfer: [shared.writer, shared.counters] };
    },
    async close() {
      clearInterval(maintenance);
      clearTimeout(first);
      await backends.close();
      await network.then(({ close }) => close()).catch(() => undefined);
    },
  };
}

/** Opens the same backends in another thread of the process. */
export async function joinEmbedded(
  config: Config,
  shared: SharedBackends,
  rpcUrls: Promise<readonly string[]>,
): Promise<Backends> {
  const [{ openSqliteLog }, { connectCounters }] = await Promise.all([
    import('@countersign/event-log'),
    import('@countersign/counters'),
  ]);
  const eventLog = await openSqliteLog({ file: logFile(config), writer: shared.writer });
  const counters = connectCounters(shared.counters);
  return backendsOf(eventLog, counters, () => rpcUrls);
}

interface Network {
  readonly urls: readonly string[];
  readonly died: Promise<Error>;
  readonly close: () => Promise<void>;
}

/** Uses the configured nodes, or starts the embedded network in a thread of its own with its ledger in `<data>/localnet`. */
async function startNetwork(config: Config): Promise<Network> {
  if (config.solanaRpcUrls.length > 0) {
    return { urls: config.solanaRpcUrls, died: new Promise(() => undefined), close: async () => undefined };
  }
  const { startLocalnetInWorker } = await import('@countersign/chain');
  const network = await startLocalnetInWorker({
    dir: join(config.dataDir, 'localnet'),
    port: config.localnetPort ?? 0,
    finalityMs: FINALITY_MS,
  }).catch((error: Error) => {
    const { localnetPort: port } = config;
    if (port === null || !/\bE(ADDRINUSE|ACCES)\b/u.test(error.message)) throw error;
    throw new AddressInUse(
      `port ${port} or ${port + 1} cannot be opened: set COUNTERSIGN_LOCALNET_PORT to the first of two free ones`,
      { cause: error },
    );
  });
  return { urls: [network.rpcUrl], died: network.died, close: () => network.close() };
}
