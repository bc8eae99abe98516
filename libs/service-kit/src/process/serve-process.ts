import type { Route } from '@countersign/contracts';
import type { BareHandler, ServiceDefinition } from '../service/definition.js';
import { serveThread } from '../service/serve-thread.js';
import type { PendingThread, ServingThread } from '../service/serve-thread.js';

export interface ServedProcess extends Omit<PendingThread, 'publicUrl'> {
  /** Of the OpenAPI document. */
  readonly routes: readonly Route[];
  /** What other processes of the installation ask of this one. */
  readonly internal?: BareHandler;
}

/** Services in the only thread of a process, with its probes. */
export async function serveProcess(
  definitions: readonly ServiceDefinition[],
  { internal, routes, ...served }: ServedProcess,
): Promise<ServingThread> {
  const { config, metrics, waiting } = served;
  let address = '';
  let serving: ServingThread | null = null;
  const starting = (): readonly string[] => {
    const problems = waiting?.problems() ?? [];
    return problems.length === 0 ? ['services are starting'] : problems;
  };
  serving = await serveThread(
    definitions,
    { ...served, publicUrl: () => config.publicUrl ?? address },
    {
      on: { host: config.host, port: config.port },
      process: {
        notReady: () => serving?.notReady() ?? starting(),
        metrics: () => metrics.metrics(),
        routes: () => routes,
      },
      behindEdge: config.behindEdge,
      ...(internal === undefined ? {} : { internal }),
    },
    (listening) => {
      address = listening;
    },
  );
  return serving;
}
