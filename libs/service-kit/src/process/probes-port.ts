import type { Authenticator, Listener } from '@countersign/http-edge';
import { createEdge, HttpRefusal, listen, probes } from '@countersign/http-edge';
import type { ThreadContext } from '../service/start-services.js';

export interface ProbedProcess extends Pick<ThreadContext, 'config' | 'log' | 'metrics'> {
  notReady(): readonly string[];
}

const refuse = (): Promise<never> => Promise.reject(new HttpRefusal(503, 'no credential is known here'));

/** Probes need no credential. */
const NO_CREDENTIALS: Authenticator = {
  session: refuse,
  apiKey: refuse,
  notReady: () => [],
  stop: async () => undefined,
};

/** Serves `/healthz`, `/readyz` and `/metrics`, and nothing else, on a port of their own at the host of the public port. */
export function openProbes(port: number, probed: ProbedProcess): Promise<Listener> {
  const { config, log, metrics } = probed;
  const edge = createEdge({
    routes: probes({ notReady: () => probed.notReady(), metrics: () => metrics.metrics() }),
    authenticator: NO_CREDENTIALS,
    log,
    observe: () => undefined,
  });
  return listen({ host: config.host, port, variable: 'COUNTERSIGN_PROBES_PORT' }, edge);
}
