import type { Authenticator } from '../credentials/authenticator.js';
import { createEdge } from '../edge/edge.js';
import { HttpRefusal } from '../edge/http-contract.js';
import { listen } from '../edge/server.js';
import type { Listener } from '../edge/server.js';
import { probes } from '../health/probes.js';
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
