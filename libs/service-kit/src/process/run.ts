import type { Logger } from 'pino';
import { createLogger, endOnSignals, explain, loadConfig } from '@countersign/process';
import type { Config } from '@countersign/process';
import type { ServiceDefinition } from '../service/definition.js';
import { Waiting } from '../service/waiting.js';
import type { RunningProcess } from './running-process.js';
import { serveDistributed } from './serve-distributed.js';
import { serveEmbedded } from './serve-embedded.js';

/**
 * Runs services in one thread of this process, on the address and the profile that the environment names, until a
 * signal ends it. What cannot start says why on stderr and ends the process with 1.
 */
export async function run(definitions: readonly ServiceDefinition[], config?: Config): Promise<RunningProcess> {
  try {
    const known = config ?? loadConfig();
    process.umask(0o077);
    return await runUntilSignal(definitions, known, createLogger(known.logLevel));
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exit(1);
  }
}

/** A signal during the start ends it at its next step: what is open by then is closed in order. */
async function runUntilSignal(
  definitions: readonly ServiceDefinition[],
  config: Config,
  log: Logger,
): Promise<RunningProcess> {
  const interruption = new AbortController();
  const serve = config.profile === 'distributed' ? serveDistributed : serveEmbedded;
  const starting = serve(definitions, config, log, new Waiting(log, interruption.signal));
  endOnSignals(log, async (signal) => {
    log.info({ signal }, 'stopping');
    interruption.abort();
    await (await starting.catch(() => null))?.stop();
  });
  try {
    return await starting;
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    return new Promise(() => undefined);
  }
}
