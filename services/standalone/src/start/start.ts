import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import {
  BACKUP_MANIFEST,
  ConfigurationError,
  createLogger,
  explain,
  loadConfig,
  markRunning,
  openDataDirectory,
  runUntilSignal,
  type Config,
  type InstanceLock,
} from '@countersign/process';
import { run } from '@countersign/service-kit';
import type { Logger } from 'pino';
import { readBootstrap } from '../first-start/bootstrap-file.js';
import { definitionsOf, FOLLOWERS } from './services.js';
import { startInstance, type Placement } from './instance.js';
import { welcome } from './welcome.js';

/** The gateway runs in the edge's thread, where no other service can delay it; all others in a thread of their own. */
const PLACEMENT: Placement = {
  inEdgeThread: () => definitionsOf(['gateway']),
  inServicesThread: FOLLOWERS,
};

/** The gateway alone: its records stay in the log until the next complete start. */
const GATEWAY_ONLY: Placement = { inEdgeThread: PLACEMENT.inEdgeThread, inServicesThread: [] };

/**
 * `countersign start`: runs until a signal ends it. If it cannot start, it prints the reason to stderr and ends with 1.
 * @param services of the distributed profile, to run in this process; empty: all
 * @param only on a data directory that a complete start has created
 */
export async function start(services: readonly string[], only: 'gateway' | null): Promise<void> {
  try {
    const config = loadConfig();
    if (config.profile === 'distributed') {
      const { address } = await run(await definitionsOf(services), config);
      process.stdout.write(`Countersign listens at ${address}; GET /readyz reports when it is ready\n`);
      return;
    }
    if (services.length > 0) {
      throw new ConfigurationError([
        `${services.join(' ')}: services run alone with COUNTERSIGN_PROFILE=distributed; without names all of them start`,
      ]);
    }
    process.umask(0o077);
    // `npm start` gives the gateway's thread a larger young generation; the other threads keep V8's default.
    setFlagsFromString('--max-semi-space-size=16');
    const log = createLogger(config.logLevel);
    if (only !== null && (await readBootstrap(config.dataDir)) === null) {
      throw new Error(`${config.dataDir} holds no account yet: start it whole once`);
    }
    const placement = only === null ? PLACEMENT : GATEWAY_ONLY;
    await runLocked(config, log, await openDataDirectory(config.dataDir, (what) => log.warn(what)), placement);
  } catch (error) {
    process.stderr.write(`countersign cannot start: ${explain(error)}\n`);
    process.exit(1);
  }
}

async function runLocked(config: Config, log: Logger, lock: InstanceLock, placement: Placement): Promise<void> {
  const mark = markRunning(config.dataDir, config.allowChangedInodes);
  // From now on the directory is not the backup that it may have been.
  rmSync(join(config.dataDir, BACKUP_MANIFEST), { force: true });
  let signal: AbortSignal | null = null;
  const instance = await runUntilSignal(
    log,
    (interruption) => {
      signal = interruption;
      return startInstance(config, log, placement, interruption);
    },
    () => {
      mark.clear();
      lock.release();
    },
  );
  if (instance === null) return;
  const isStopping = (): boolean => signal?.aborted === true;
  void instance.died.then((error) => {
    if (isStopping()) return;
    log.fatal({ err: error }, 'a thread ended that the process cannot do without');
    process.exit(1);
  });
  if (!isStopping()) process.stdout.write(welcome(config.dataDir, instance, process.uptime()));
}
