import { setTimeout as sleep } from 'node:timers/promises';
import type { Route } from '@countersign/contracts';
import { httpAddress, ReadinessLog } from '@countersign/http-edge';
import type { RawHandler } from '@countersign/http-edge';
import type { ServiceDefinition } from '../service/definition.js';
import { serveThread } from '../service/serve-thread.js';
import type { PendingThread, ServingThread } from '../service/serve-thread.js';
import { Waiting } from '../service/waiting.js';
import { samplesOf } from './process-view.js';
import { openProbes } from './probes-port.js';

export interface ServedProcess extends Omit<PendingThread, 'publicUrl'> {
  /** Routes of the OpenAPI document. */
  readonly routes: readonly Route[];
  /** Handles requests of other processes of the installation. */
  readonly internal?: RawHandler;
}

/**
 * With a port for probes, the public port stays open for this time after readiness has become 503, ms. Balancers that
 * watch readiness need it to route elsewhere. One that watches connections alone avoids an instance that has just
 * restarted for up to 2 s (`fail_timeout=1s` in nginx); until then this instance may be the only one it has.
 */
const DRAIN_MS = 3000;

/**
 * Serves services in the only thread of a process, with its probes. With `config.probesPort`, the public port opens when
 * the process is ready for the first time.
 */
export async function serveProcess(
  definitions: readonly ServiceDefinition[],
  { internal, routes, ...served }: ServedProcess,
): Promise<ServingThread> {
  const { config, metrics, waiting = new Waiting(served.log) } = served;
  let address = config.port === 0 ? '' : httpAddress(config.host, config.port);
  let state: 'starting' | 'stopping' | ServingThread = 'starting';
  let services: (() => readonly string[]) | null = null;
  const starting = (): readonly string[] => {
    const problems = [...waiting.problems(), ...(services?.() ?? [])];
    return problems.length === 0 ? ['services are starting'] : problems;
  };
  const notReady = (): readonly string[] => {
    if (state === 'stopping') return ['the process is stopping'];
    return state === 'starting' ? starting() : state.notReady();
  };
  const readiness = new ReadinessLog(served.log, notReady);
  const probes = config.probesPort === null ? null : await openProbes(config.probesPort, { ...served, notReady });
  const listensAfter = (problems: () => readonly string[]): Promise<void> => {
    services = problems;
    return waiting.untilNone(problems);
  };
  try {
    const serving = await serveThread(
      definitions,
      {
        ...served,
        publicUrl: () => config.publicUrl ?? address,
        processView: async (names) => ({
          services: definitions.map(({ name }) => name),
          notReady: notReady(),
          samples: await samplesOf(metrics, names),
        }),
      },
      {
        on: { host: config.host, port: config.port },
        ...(probes === null ? {} : { listensAfter }),
        process: { notReady, registry: () => Promise.resolve(metrics), routes: () => routes },
        behindEdge: config.behindEdge,
        ...(internal === undefined ? {} : { internal }),
      },
      (listening) => {
        address = listening;
      },
    );
    state = serving;
    return {
      address: serving.address,
      notReady,
      async closeIntake(graceMs, lingerMs) {
        readiness.stop();
        state = 'stopping';
        if (probes !== null) await sleep(DRAIN_MS);
        await serving.closeIntake(graceMs, lingerMs);
      },
      async stop() {
        await serving.stop();
        await probes?.close(0);
      },
    };
  } catch (error) {
    readiness.stop();
    await probes?.close(0);
    throw error;
  }
}
