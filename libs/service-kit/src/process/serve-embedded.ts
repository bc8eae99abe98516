import type { Logger } from 'pino';
import { openEmbedded } from '../adapters/embedded.js';
import type { Config } from '@countersign/process';
import { createRegistry, observeBackupAge, observeDataSpace, openDataDirectory } from '@countersign/process';
import type { ServiceDefinition } from '../service/definition.js';
import { PeerRegistry } from '../service/peer-registry.js';
import { GRACE_MS } from './running-process.js';
import type { RunningProcess } from './running-process.js';
import { serveProcess } from './serve-process.js';

/** Serves services on the data directory, which it locks for this process. */
export async function serveEmbedded(
  definitions: readonly ServiceDefinition[],
  config: Config,
  log: Logger,
): Promise<RunningProcess> {
  const lock = await openDataDirectory(config.dataDir, (what) => log.warn(what));
  try {
    const backends = await openEmbedded(config, log);
    try {
      const metrics = createRegistry('main', true);
      observeDataSpace(metrics, config.dataDir);
      observeBackupAge(metrics, config.dataDir);
      const thread = { config, log, metrics, peers: new PeerRegistry(), clock: () => Date.now() };
      const serving = await serveProcess(definitions, {
        ...thread,
        routes: definitions.flatMap(({ routes }) => routes),
        backends: async () => backends,
      });
      return {
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
      await backends.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}
