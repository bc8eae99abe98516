import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';
import { operationsRoutes } from '@countersign/contracts';
import type { Route } from '@countersign/contracts';
import { CountersUnavailable } from '@countersign/counters';
import { openAuthenticator } from '../credentials/authenticator.js';
import type {
  Authenticator,
  RawHandler,
  ConnectionBound,
  EdgeRoute,
  Listener,
  ListenOn,
  ProbeSources,
} from '@countersign/http-edge';
import {
  AddressAllowance,
  CONNECTIONS_OF_ADDRESS,
  createEdge,
  HttpRefusal,
  listen,
  operations,
} from '@countersign/http-edge';
import { requestObserver } from '@countersign/process';
import type { ServiceDefinition } from './definition.js';
import { followServerCertificate, readServerCertificate } from './server-certificate.js';
import { startServices } from './start-services.js';
import type { StartedServices, ThreadContext } from './start-services.js';
import type { Telemetry } from '../telemetry/open-telemetry.js';
import type { ReadRegistry } from '../telemetry/registry-producer.js';

/** A thread that opens its backends once it listens. */
export interface PendingThread extends Omit<ThreadContext, 'eventLog' | 'counters' | 'chain'> {
  backends(): Promise<Pick<ThreadContext, 'eventLog' | 'counters' | 'chain'>>;
}

export interface ServeOptions {
  readonly on: ListenOn;
  /** If given, it starts its services first and listens once this resolves; otherwise it listens first. */
  readonly listensAfter?: (notReady: () => readonly string[]) => Promise<void>;
  /** Sources of probes, OpenAPI document and telemetry; absent: another thread of the process has them. */
  readonly process?: Pick<ProbeSources, 'notReady' | 'routes'> & { readonly registry: ReadRegistry };
  /** Handles paths that no service of this thread has. */
  readonly elsewhere?: RequestListener;
  /**
   * Returns true once the answers of this thread's services may be relied on; default: as soon as they run. Until then
   * their routes return 503.
   */
  readonly mayServe?: () => boolean;
  /** Handles requests of other processes of the installation; called before any route, also while services start. */
  readonly internal?: RawHandler;
  /** Only the edge of another thread can reach this one. */
  readonly behindEdge?: boolean;
}

export interface ServingThread {
  readonly address: string;
  notReady(): readonly string[];
  /** Accepts no new connection and waits at most `graceMs` for running requests; idle connections stay `lingerMs` longer. */
  closeIntake(graceMs: number, lingerMs?: number): Promise<void>;
  /** Called afterwards: services drain, commit and close, in reverse order of their start. */
  stop(): Promise<void>;
}

const STARTING = 'the service is starting: try again in a moment';

/** The route until its service runs: returns 503, whatever is sent. */
function waiting({ body: _body, unavailable, ...route }: Route): EdgeRoute {
  const refusal = new HttpRefusal(503, STARTING, { 'retry-after': '1' }, unavailable);
  return { route: { ...route, auth: 'none' }, handle: () => Promise.reject(refusal) };
}

const refuseAll = (): Promise<never> => Promise.reject(new HttpRefusal(503, STARTING, { 'retry-after': '1' }));

/** `null` behind an edge, which limits connections by address itself, and on a socket file. */
function connectionBound(metrics: Registry, { on, behindEdge }: ServeOptions): ConnectionBound | null {
  if (behindEdge === true || 'path' in on) return null;
  const refused = new Counter({
    name: 'countersign_connections_refused_total',
    help: 'Connections refused because their address had as many open as it may',
    registers: [metrics],
  });
  return { ofAddress: CONNECTIONS_OF_ADDRESS, refused: () => refused.inc() };
}

/** Until credentials have been read: refuses all with 503. */
const UNKNOWN: Authenticator = {
  session: refuseAll,
  apiKey: refuseAll,
  notReady: () => ['credentials are being read'],
  stop: async () => undefined,
};

/**
 * Listens, then starts the services: probes answer at once, every other route returns 503 until its service runs. With
 * `listensAfter` it listens last.
 * @param onListening receives the address as soon as it listens
 */
export async function serveThread(
  definitions: readonly ServiceDefinition[],
  thread: ThreadContext | PendingThread,
  options: ServeOptions,
  onListening: (address: string) => void = () => undefined,
): Promise<ServingThread> {
  const observe = requestObserver(thread.metrics);
  const sources = options.process;
  const telemetry = await telemetryOf(definitions, thread, sources);
  const own =
    sources === undefined
      ? []
      : operations({
          ...sources,
          metrics: async () => (await sources.registry()).metrics(),
          publicUrl: () => thread.publicUrl(),
          metricsToken: thread.config.metricsToken,
          metricsElsewhere: thread.config.probesPort !== null,
        });
  const common = {
    log: thread.log,
    observe,
    behindEdge: options.behindEdge === true,
    allowance: new AddressAllowance(thread.config.publicRequestsPerMinute),
    isUnavailable: (error: unknown) => error instanceof CountersUnavailable,
    ...(options.elsewhere === undefined ? {} : { elsewhere: options.elsewhere }),
  };
  const routes = [...own, ...definitions.flatMap((definition) => definition.routes.map(waiting))];
  const { mayServe = () => true, internal, listensAfter } = options;
  const before = internal === undefined ? [] : [internal];
  const refusing = createEdge({ ...common, routes, authenticator: UNKNOWN, rawHandlers: before });
  let edge = refusing;
  const openAddress = async (): Promise<Listener> => {
    const untraced = (request: IncomingMessage, response: ServerResponse): void => {
      if (mayServe()) edge(request, response);
      else refusing(request, response);
    };
    const handler = telemetry === null ? untraced : telemetry.traced(untraced);
    const tls = 'path' in options.on ? null : thread.config.tls;
    const certificate = tls === null ? null : await readServerCertificate(tls);
    const bound = connectionBound(thread.metrics, options);
    const opened = await listen(options.on, handler, undefined, bound, certificate);
    onListening(opened.address);
    if (tls === null || certificate === null) return opened;
    const unfollow = followServerCertificate(tls, certificate, opened, thread);
    return {
      ...opened,
      close(...within) {
        unfollow();
        return opened.close(...within);
      },
    };
  };
  const first = listensAfter === undefined ? await openAddress() : null;
  try {
    const open = 'backends' in thread ? { ...thread, ...(await thread.backends()) } : thread;
    const services = await startServices(definitions, open);
    const authenticator = await authenticatorFor(services.routes, open);
    const rawHandlers = [...before, ...services.rawHandlers];
    edge = createEdge({ ...common, routes: [...own, ...services.routes], authenticator, rawHandlers });
    const started = startedThread(services, authenticator, telemetry);
    try {
      await listensAfter?.(started.notReady);
      const listener = first ?? (await openAddress());
      const { address } = listener;
      return { ...started, address, closeIntake: (graceMs, lingerMs) => listener.close(graceMs, lingerMs) };
    } catch (error) {
      await started.stop();
      throw error;
    }
  } catch (error) {
    await telemetry?.stop();
    await first?.close(0);
    throw error;
  }
}

/** `null`: nothing is exported, and nothing of it is loaded. */
async function telemetryOf(
  definitions: readonly ServiceDefinition[],
  { config, log }: PendingThread | ThreadContext,
  sources: ServeOptions['process'],
): Promise<Telemetry | null> {
  if (config.otlp === null || sources === undefined) return null;
  const { openTelemetry } = await import('../telemetry/open-telemetry.js');
  const routes = async (): Promise<readonly Route[]> => [
    ...(await sources.routes()),
    ...Object.values<Route>(operationsRoutes),
  ];
  // The threads of the embedded profile are one service.
  const isOne = config.profile === 'distributed' && definitions.length === 1;
  const service = isOne ? `countersign-${definitions[0]!.name}` : 'countersign';
  return openTelemetry({ service, otlp: config.otlp, log, registry: sources.registry, routes });
}

function authenticatorFor(routes: readonly EdgeRoute[], thread: ThreadContext): Promise<Authenticator> {
  const uses = (auth: Route['auth']): boolean =>
    routes.some(({ route }) => route.auth === auth || route.auth === 'api-key-or-session');
  return openAuthenticator(thread, { session: uses('session'), apiKey: uses('api-key') });
}

function startedThread(
  services: StartedServices,
  authenticator: Authenticator,
  telemetry: Telemetry | null,
): Pick<ServingThread, 'notReady' | 'stop'> {
  return {
    notReady: () => [...services.notReady(), ...authenticator.notReady()],
    async stop() {
      await telemetry?.stop();
      await authenticator.stop();
      await services.stop();
    },
  };
}
