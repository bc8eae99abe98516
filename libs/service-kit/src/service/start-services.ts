import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Logger } from 'pino';
import type { Chain } from '@countersign/chain';
import type { ServiceName } from '@countersign/contracts';
import type { Counters } from '@countersign/counters';
import type { EventLog } from '@countersign/event-log';
import type { Config } from '@countersign/process';
import { HttpRefusal } from '@countersign/http-edge';
import type { RawHandler, EdgeRoute } from '@countersign/http-edge';
import { countDeadLetters } from '@countersign/topics';
import type { ProcessView } from '../process/process-view.js';
import { hostService } from '../hosting/nest-host.js';
import type { HostedService } from '../hosting/nest-host.js';
import type { RunningService, ServiceContext, ServiceDefinition, StoreAdapters } from './definition.js';
import type { PeerRegistry } from './peer-registry.js';
import { startOrder } from './start-order.js';
import type { Waiting } from './waiting.js';

/** Shared by the services of one thread. */
export interface ThreadContext {
  readonly config: Config;
  readonly log: Logger;
  readonly eventLog: EventLog;
  readonly counters: Counters;
  readonly metrics: Registry;
  readonly peers: PeerRegistry;
  readonly clock: () => number;
  /** Waits for servers that a start needs; absent: the attempt fails at once. */
  readonly waiting?: Waiting;
  chain(): Promise<Chain>;
  publicUrl(): string;
  /** Absent: services learn nothing of the process. */
  readonly processView?: ProcessView;
}

export interface StartedServices {
  readonly routes: readonly EdgeRoute[];
  readonly rawHandlers: readonly RawHandler[];
  /** `<service>: <what it waits for>` */
  notReady(): readonly string[];
  /** In reverse order of the start: stops the consumers, then the service drains, commits and closes. */
  stop(): Promise<void>;
}

interface Started {
  readonly definition: ServiceDefinition;
  readonly running: RunningService;
  readonly hosted: HostedService | null;
}

/**
 * Starts each service once those before it have started; services that do not depend on each other start concurrently.
 * @throws what the first failing start threw, after those that had started were stopped
 */
export async function startServices(
  definitions: readonly ServiceDefinition[],
  thread: ThreadContext,
): Promise<StartedServices> {
  const order = startOrder(definitions);
  const starting = new Map<ServiceName, Promise<Started>>();
  for (const definition of order) {
    const before = definition.after.map((name) => starting.get(name)).filter((start) => start !== undefined);
    starting.set(
      definition.name,
      Promise.all(before).then(() => startOne(definition, thread, order.length === 1)),
    );
  }
  const results = await Promise.allSettled(starting.values());
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) {
    await stopAll(started, thread.log);
    throw failed.reason;
  }
  reportLag(started, thread.metrics);
  return {
    routes: started.flatMap(edgeRoutes),
    rawHandlers: started.flatMap(({ running }) => running.rawHandler ?? []),
    notReady: () => started.flatMap(problemsOf),
    stop: () => stopAll(started, thread.log),
  };
}

async function startOne(definition: ServiceDefinition, thread: ThreadContext, alone: boolean): Promise<Started> {
  const { name } = definition;
  const begun = performance.now();
  const context = await contextFor(name, thread, alone);
  if (definition.writes.includes('dead-letters')) countDeadLetters(context);
  const running = await definition.start(context);
  try {
    const hosted = await hostService(definition.routes, running, context);
    context.log.debug({ ms: Math.round(performance.now() - begun) }, 'service started');
    return { definition, running, hosted };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

/**
 * Builds the context of one service from that of its thread, and creates its folder.
 * @param alone no other service runs in the thread
 */
export async function contextFor(name: ServiceName, thread: ThreadContext, alone = false): Promise<ServiceContext> {
  const { config, eventLog, counters, metrics, clock, peers } = thread;
  const directory = join(config.dataDir, name);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return {
    name,
    alone,
    config,
    log: thread.log.child({ service: name }),
    eventLog,
    counters,
    metrics,
    clock,
    directory,
    chain: () => thread.chain(),
    publicUrl: () => thread.publicUrl(),
    processView: thread.processView ?? null,
    openStore: async <T>(adapters: StoreAdapters<T>) => {
      const { mongodbUri, profile } = config;
      if (profile === 'embedded') return adapters.sqlite();
      if (mongodbUri === null) throw new Error('MONGODB_URI is missing');
      const open = (): Promise<T> => adapters.mongo(mongodbUri);
      return thread.waiting === undefined ? open() : thread.waiting.until(`MongoDB of ${name}`, open);
    },
    provide: (which, peer) => peers.provide(which, peer),
    peer: (which) => peers.peer(which),
    peerNow: (which) => peers.peerNow(which),
  };
}

function edgeRoutes({ definition, running, hosted }: Started): readonly EdgeRoute[] {
  return definition.routes.map((route) => {
    const why = running.off?.get(route.operationId);
    if (why !== undefined) {
      return { route: { ...route, auth: 'none' }, handle: () => Promise.reject(new HttpRefusal(404, why)) };
    }
    const missing = (): Promise<never> => Promise.reject(new Error(`${route.operationId} has no handler`));
    return { route, handle: hosted?.handle ?? running.handle ?? missing };
  });
}

function problemsOf({ definition, running, hosted }: Started): readonly string[] {
  return [...running.notReady(), ...(hosted?.notReady() ?? [])].map((problem) => `${definition.name}: ${problem}`);
}

/** A step of a stop is logged each time it has taken this much longer, ms. */
const SLOW_STOP_MS = 5000;

async function stopAll(started: readonly Started[], log: Logger): Promise<void> {
  for (const { definition, running, hosted } of [...started].reverse()) {
    let step = 'its consumers have ended';
    const slow = setInterval(() => {
      log.warn({ service: definition.name }, `still stopping: waiting until ${step}`);
    }, SLOW_STOP_MS);
    try {
      await hosted?.stopConsuming();
      step = 'it has drained, committed and closed';
      await running.stop();
      step = 'its host has closed';
      await hosted?.close();
    } catch (error) {
      log.error({ err: error, service: definition.name }, 'a service did not stop cleanly');
    } finally {
      clearInterval(slow);
    }
  }
}

function reportLag(started: readonly Started[], registry: Registry): void {
  const gauge: Gauge = new Gauge({
    name: 'countersign_consumer_lag_messages',
    help: 'Messages of a partition that a service has not handled yet',
    labelNames: ['service', 'partition'],
    registers: [registry],
    collect() {
      // A partition that another instance has taken over has no lag here.
      gauge.reset();
      for (const { definition, hosted } of started) {
        for (const [partition, lag] of Object.entries(hosted?.lag() ?? {})) {
          gauge.set({ service: definition.name, partition }, lag);
        }
      }
    },
  });
}
