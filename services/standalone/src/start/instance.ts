import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Logger } from 'pino';
import type { Route } from '@countersign/contracts';
import { createRegistry, observeBackupAge, observeDataSpace, type Config } from '@countersign/process';
import { GRACE_MS, openEmbedded, PeerRegistry, samplesOf, serveThread } from '@countersign/service-kit';
import type { EmbeddedBackends, ServiceDefinition, ServingThread, ThreadContext } from '@countersign/service-kit';
import { writeBootstrap, type Addresses } from '../first-start/bootstrap-file.js';
import { ensureFirstStart, type FirstStart } from '../first-start/first-start.js';
import { openAdminSocket, type AdminSocket } from '../operate/admin-socket.js';
import { createProxy, type Proxy } from '../proxy/proxy.js';
import { startServicesThread, type ServicesThread } from '../threads/services-thread.js';
import { makeSocketPath, removeSocketFolder } from '../threads/socket-path.js';

/** The services of an instance, by thread. */
export interface Placement {
  /** In the thread of the edge. */
  readonly inEdgeThread: () => Promise<readonly ServiceDefinition[]>;
  /** Their names, in the thread of the services. */
  readonly inServicesThread: readonly string[];
}

export interface Instance {
  readonly addresses: Addresses;
  readonly firstStart: FirstStart;
  /** The address of the console that signs in once; `null` but at a first start on this machine. */
  readonly consoleLink: string | null;
  /** Resolves with the reason when a required thread has ended. */
  readonly died: Promise<Error>;
  /** Sets readiness to false, closes intake, drains and closes services in reverse order, then closes the backends. */
  stop(): Promise<void>;
}

const POLL_MS = 10;
const SERVICES_SOCKET = 'services.sock';

/**
 * Starts all services of one data directory, which this process has locked, and resolves when they are ready.
 * @throws the error, or the signal's reason once it is aborted; everything started is then stopped
 */
export async function startInstance(
  config: Config,
  log: Logger,
  placement: Placement,
  signal: AbortSignal,
): Promise<Instance> {
  const metrics = createRegistry('edge', true);
  observeDataSpace(metrics, config.dataDir);
  observeBackupAge(metrics, config.dataDir);
  const inEdgeThread = placement.inEdgeThread();
  inEdgeThread.catch(() => undefined);
  const backends = await openEmbedded(config, log);
  const parts: Parts = {
    backends,
    services: null,
    serving: null,
    proxy: null,
    admin: null,
    ready: false,
    wasReady: false,
  };
  try {
    const socketPath = await makeSocketPath(config.dataDir, SERVICES_SOCKET);
    const services = startServicesThread(config, backends, socketPath, placement.inServicesThread, {
      state: async (names) => ({
        services: (await inEdgeThread).map(({ name }) => name),
        notReady: ofEdge(parts.serving),
        samples: await samplesOf(metrics, names),
      }),
    });
    parts.services = services;
    let listening = false;
    const routes = services.calls.call('started', undefined).then((found) => {
      listening = true;
      return found;
    });
    routes.catch(() => undefined);
    const proxy = createProxy(() => (listening ? socketPath : null));
    parts.proxy = proxy;
    const definitions = await inEdgeThread;
    const serving = await serveEdge(config, log, metrics, parts, definitions, routes, proxy, services);
    parts.serving = serving;
    const baseUrl = config.publicUrl ?? serving.address;
    await routes;
    const firstStart = await ensureFirstStart(config.dataDir, {
      hasAccount: () => services.calls.call('hasAccount', undefined),
      createAccount: (first) => services.calls.call('createAccount', first),
      createAgent: (first) => services.calls.call('createAgent', first),
    });
    const { credentials } = firstStart;
    const consoleLink = async (): Promise<string | null> => {
      const token = credentials === null ? null : await services.calls.call('signInOnce', credentials.email);
      return token === null ? null : `${baseUrl}/console#/sign-in/${token}`;
    };
    parts.admin = await openAdminSocket(config.dataDir, {
      setPlan: (change) => services.calls.call('setPlan', change),
      consoleLink,
      passwordLink: async (request) => (await services.calls.call('passwordLink', request)) ?? 'unknown-user',
      signingKeys: (request) => services.calls.call('signingKeys', request),
    });
    const [solanaRpcUrl = ''] = await backends.rpcUrls;
    const addresses: Addresses = { baseUrl, mcpUrl: `${baseUrl}/mcp`, solanaRpcUrl };
    await untilReady(log, () => waitingFor(serving, services), [backends.died, services.died], signal);
    if (credentials !== null) await writeBootstrap(config.dataDir, addresses, credentials);
    // The page that the link opens may ask a node of this machine without the reader naming it.
    const rpcPort = /^http:\/\/127\.0\.0\.1:(\d+)\/?$/.exec(solanaRpcUrl)?.[1];
    const firstLink = async (): Promise<string | null> => {
      const link = await consoleLink();
      return link === null ? null : `${link}?first=1${rpcPort === undefined ? '' : `&rpc=${rpcPort}`}`;
    };
    const isShown = firstStart.isFirst && isLoopback(baseUrl);
    parts.ready = true;
    parts.wasReady = true;
    return {
      addresses,
      firstStart,
      consoleLink: isShown ? await firstLink() : null,
      died: Promise.race([backends.died, services.died]),
      stop: () => stopParts(config.dataDir, parts),
    };
  } catch (error) {
    await stopParts(config.dataDir, parts).catch((also: unknown) =>
      log.error({ err: also }, 'what had started did not stop cleanly'),
    );
    throw error;
  }
}

function isLoopback(url: string): boolean {
  return /^https?:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/.test(url);
}

interface Parts {
  readonly backends: EmbeddedBackends;
  services: ServicesThread | null;
  serving: ServingThread | null;
  proxy: Proxy | null;
  admin: AdminSocket | null;
  ready: boolean;
  /** Checks are decided only after every service has verified its store. */
  wasReady: boolean;
}

function ofEdge(serving: ServingThread | null): readonly string[] {
  return serving === null ? ['gateway: is starting'] : serving.notReady();
}

async function waitingFor(serving: ServingThread | null, services: ServicesThread): Promise<readonly string[]> {
  return [...ofEdge(serving), ...(await services.calls.call('notReady', undefined))];
}

async function serveEdge(
  config: Config,
  log: Logger,
  metrics: Registry,
  parts: Parts,
  definitions: readonly ServiceDefinition[],
  apartRoutes: Promise<readonly Route[]>,
  proxy: Proxy,
  services: ServicesThread,
): Promise<ServingThread> {
  const { backends } = parts;
  let address = '';
  const thread: ThreadContext = {
    config,
    log,
    metrics,
    peers: new PeerRegistry(),
    eventLog: backends.eventLog,
    counters: backends.counters,
    clock: () => Date.now(),
    chain: () => backends.chain(),
    publicUrl: () => config.publicUrl ?? address,
  };
  const notReady = async (): Promise<readonly string[]> => {
    if (parts.ready) return waitingFor(parts.serving, services);
    return ['the services are starting or stopping'];
  };
  return serveThread(
    definitions,
    thread,
    {
      on: { host: config.host, port: config.port },
      elsewhere: proxy.handle,
      mayServe: () => parts.wasReady,
      process: {
        notReady: () => notReady().catch((error: Error) => [error.message]),
        registry: async () => {
          const both = [await metrics.getMetricsAsJSON(), await services.calls.call('metrics', undefined)];
          return AggregatorRegistry.aggregate(both);
        },
        routes: async () => [...definitions.flatMap(({ routes }) => routes), ...(await apartRoutes)],
      },
    },
    (listeningOn) => {
      address = listeningOn;
      void services.calls.call('publicUrl', thread.publicUrl()).catch(() => undefined);
    },
  );
}

/** Rejects if one of the threads ends first. */
async function untilReady(
  log: Logger,
  waiting: () => Promise<readonly string[]>,
  died: readonly Promise<Error>[],
  signal: AbortSignal,
): Promise<void> {
  let loggedAt = performance.now();
  let failure: Error | null = null;
  void Promise.race(died).then((error) => (failure = error));
  for (;;) {
    if (failure !== null) throw failure as Error;
    signal.throwIfAborted();
    const problems = await waiting();
    if (problems.length === 0) return;
    if (performance.now() - loggedAt > 5000) {
      loggedAt = performance.now();
      log.warn({ waitingFor: problems }, 'not ready yet');
    }
    await sleep(POLL_MS);
  }
}

async function stopParts(dataDir: string, parts: Parts): Promise<void> {
  parts.ready = false;
  await parts.admin?.close();
  await parts.serving?.closeIntake(GRACE_MS);
  parts.proxy?.close();
  await parts.services?.calls.call('closeIntake', GRACE_MS).catch(() => undefined);
  await parts.serving?.stop();
  await parts.services?.stop().catch(() => undefined);
  await parts.backends.close();
  await removeSocketFolder(dataDir);
}
