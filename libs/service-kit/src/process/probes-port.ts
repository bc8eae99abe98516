import type { Authenticator, Listener } from '@countersign/http-edge';
import { createEdge, HttpRefusal, listen, probes } from '@countersign/http-edge';
import type { ThreadContext } from '../service/start-services.js';

export interface ProbedProcess extends Pick<ThreadContext, 'config' | 'log' | 'metrics'> {
  notReady(): readonly string[];
}

const refuse = (): Promise<never> => Promise.reject(new HttpRefusal(503, 'nobody is known here'));

/** No probe asks who calls. */
const NOBODY: Authenticator = { session: refuse, apiKey: refuse, notReady: () => [], stop: async () => undefined };

/** `/healthz`, `/readyz` and `/metrics`, and nothing else, on a port of their own of the public port's host. */
export function openProbes(port: number, probed: ProbedProcess): Promise<Listener> {
  const { config, log, metrics } = probed;
  const edge = createEdge({
    routes: probes({ notReady: () => probed.notReady(), metrics: () => metrics.metrics() }),
    authenticator: NOBODY,
    log,
    observe: () => undefined,
  });
  return listen({ host: config.host, port, variable: 'COUNTERSIGN_PROBES_PORT' }, edge);
}
