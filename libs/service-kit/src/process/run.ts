import { createLogger, explain, loadConfig, runUntilSignal } from '@countersign/process';
import type { Config } from '@countersign/process';
import type { ServiceDefinition } from '../service/definition.js';
import { Waiting } from '../service/waiting.js';
import type { RunningProcess } from './running-process.js';
import { serveDistributed } from './serve-distributed.js';
import { serveEmbedded } from './serve-embedded.js';

/**
 * Runs services in one thread of this process, with the address and the profile of the environment, until a signal ends
 * it. If they cannot start, it writes the reason to stderr and exits with 1.
 */
export async function run(definitions: readonly ServiceDefinition[], config?: Config): Promise<RunningProcess> {
  try {
    const known = config ?? loadConfig();
    process.umask(0o077);
    const log = createLogger(known.logLevel);
    const serve = known.profile === 'distributed' ? serveDistributed : serveEmbedded;
    const running = await runUntilSignal(log, (signal) => serve(definitions, known, log, new Waiting(log, signal)));
    return running ?? (await new Promise<never>(() => undefined));
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exit(1);
  }
}
