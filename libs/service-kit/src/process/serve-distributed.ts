import type { Logger } from 'pino';
import { everyRoute } from '@countersign/contracts';
import type { Backends } from '../adapters/backends.js';
import { openDistributed } from '../adapters/distributed.js';
import { ConfigurationError, createRegistry, makeDataDirectory, serviceCredential } from '@countersign/process';
import type { Config } from '@countersign/process';
import { missingAddresses, peersElsewhere, peersElsewhereNow } from '../peers/elsewhere.js';
import { internalApi } from '../peers/internal-api.js';
import { usesInternalRoutes } from '../peers/offers.js';
import type { ServiceDefinition } from '../service/definition.js';
import { PeerRegistry } from '../service/peer-registry.js';
import type { Waiting } from '../service/waiting.js';
import { GRACE_MS } from './running-process.js';
import type { RunningProcess } from './running-process.js';
import { serveProcess } from './serve-process.js';

/** Twice as long as the edge proxy keeps an idle connection (`keepalive_timeout` in deploy/edge), ms. */
const LINGER_MS = 2000;

/**
 * Serves services on Kafka, MongoDB and Redis, next to any number of other processes: the data directory is not locked.
 * It listens at once; with a port for probes, it listens on that one alone until it is ready. `/readyz` names what it
 * waits for.
 * @throws ConfigurationError that names each missing address of a peer
 */
export async function serveDistributed(
  definitions: readonly ServiceDefinition[],
  config: Config,
  log: Logger,
  waiting: Waiting,
): Promise<RunningProcess> {
  const problems = missingAddresses(config, definitions);
  if (problems.length > 0) throw new ConfigurationError(problems);
  await makeDataDirectory(config.dataDir);
  // A process that needs no credential does not read the secret from which sessions could be forged.
  const credential = usesInternalRoutes(definitions) ? await serviceCredential(config) : null;
  const here = new Set(definitions.map(({ name }) => name));
  const peers =
    credential === null
      ? new PeerRegistry()
      : new PeerRegistry(
          peersElsewhere(config, here, credential, waiting),
          peersElsewhereNow(config, here, credential),
        );
  let backends: Backends | null = null;
  try {
    const serving = await serveProcess(definitions, {
      config,
      log,
      metrics: createRegistry('main', true),
      peers,
      clock: () => Date.now(),
      waiting,
      routes: everyRoute,
      ...(credential === null ? {} : { internal: internalApi(peers, credential, log) }),
      backends: async () => (backends = await openDistributed(config, log, waiting)),
    });
    return {
      address: serving.address,
      notReady: () => serving.notReady(),
      async stop() {
        await serving.closeIntake(GRACE_MS, LINGER_MS);
        await backends?.closeChain();
        await serving.stop();
        await backends?.close();
      },
    };
  } catch (error) {
    await (backends as Backends | null)?.close();
    throw error;
  }
}
