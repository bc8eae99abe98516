import type { Registry } from 'prom-client';
import type { Logger } from 'pino';
import { requireAdapters } from '../adapters/absent-adapters.js';
import { openEmbedded } from '../adapters/embedded.js';
import type { EmbeddedBackends } from '../adapters/embedded.js';
import { loadConfig } from '../configuration/load-config.js';
import type { Config } from '../configuration/config.js';
import { openDataDirectory } from '../data-directory/data-directory.js';
import { createRegistry } from '../health/metrics.js';
import { createLogger } from '../logging/logger.js';
import type { ServiceDefinition } from '../service/definition.js';
import { Neighbourhood } from '../service/neighbourhood.js';
import { serveThread } from '../service/serve-thread.js';
import type { ServingThread } from '../service/serve-thread.js';
import type { ThreadContext } from '../service/start-services.js';
import { endOnSignals, explain } from './signals.js';

export interface RunningProcess {
  /** Where it listens. */
  readonly address: string;
  notReady(): readonly string[];
  /** Ends intake, drains, commits, closes. */
  stop(): Promise<void>;
}

/** How long running requests may take to end once the process is to stop, ms. */
export const GRACE_MS = 10_000;

/**
 * Runs services in one thread of this process, on the data directory and the address that the environment names, until
 * a signal ends it. What cannot start says why on stderr and ends the process with 1.
 */
export async function run(definitions: readonly ServiceDefinition[], config?: Config): Promise<RunningProcess> {
  try {
    const running = await startProcess(definitions, config ?? loadConfig());
    endOnSignals(running.log, () => running.stop());
    return running;
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exit(1);
  }
}

interface StartedProcess extends RunningProcess {
  readonly log: Logger;
}

async function startProcess(definitions: readonly ServiceDefinition[], config: Config): Promise<StartedProcess> {
  requireAdapters(config);
  process.umask(0o077);
  const log = createLogger(config.logLevel);
  const lock = await openDataDirectory(config.dataDir);
  try {
    const metrics = createRegistry('main', true);
    const backends = await openEmbedded(config, log);
    const serving = await serve(definitions, config, log, metrics, backends);
    return {
      log,
      address: serving.address,
      notReady: () => serving.notReady(),
      async stop() {
        await serving.closeIntake(GRACE_MS);
        await serving.stop();
        await backends.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function serve(
  definitions: readonly ServiceDefinition[],
  config: Config,
  log: Logger,
  metrics: Registry,
  backends: EmbeddedBackends,
): Promise<ServingThread> {
  let address = '';
  let serving: ServingThread | null = null;
  const thread: ThreadContext = {
    config,
    log,
    metrics,
    neighbourhood: new Neighbourhood(),
    clock: () => Date.now(),
    eventLog: backends.eventLog,
    counters: backends.counters,
    chain: () => backends.chain(),
    publicUrl: () => config.publicUrl ?? address,
  };
  try {
    serving = await serveThread(
      definitions,
      thread,
      {
        on: { host: config.host, port: config.port },
        process: {
          notReady: () => serving?.notReady() ?? ['services are starting'],
          metrics: () => metrics.metrics(),
          routes: () => definitions.flatMap(({ routes }) => routes),
        },
      },
      (listening) => {
        address = listening;
      },
    );
    return serving;
  } catch (error) {
    await backends.close();
    throw error;
  }
}
