import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { createLogger, createRegistry, type Config } from '@countersign/process';
import { joinEmbedded, PeerRegistry, samplesOf, serveThread } from '@countersign/service-kit';
import type {
  FirstAccount,
  PasswordLinkRequest,
  PlanChange,
  ProcessState,
  ServingThread,
  SharedBackends,
  ThreadContext,
} from '@countersign/service-kit';
import type { Route } from '@countersign/contracts';
import { answerKeys, type SigningKeyRequest } from '../operate/signing-key-request.js';
import { definitionsOf } from '../start/services.js';
import { answerCalls, Caller } from './calls.js';
import { stepBack } from './step-back.js';

export interface WorkerInput {
  readonly config: Config;
  readonly shared: SharedBackends;
  readonly socketPath: string;
  /** Names of the services of this thread; there may be none. */
  readonly services: readonly string[];
  /** For calls to the edge's thread. */
  readonly edge: MessagePort;
}

/** Calls that the edge's thread answers. */
export type EdgeCalls = {
  /** Its own part of the process: of its services, registry and readiness. */
  readonly state: (metrics: readonly string[]) => Promise<ProcessState>;
};

export interface FirstAgent {
  readonly agentId: string;
  readonly accountId: string;
  readonly name: string;
}

if (parentPort === null) throw new Error('this module runs in a thread of its own');
stepBack();
const channel = parentPort;
const { config, shared, socketPath, services, edge } = workerData as WorkerInput;
// The channel keeps neither thread running.
edge.unref();
const edgeCalls = new Caller<EdgeCalls>({
  listen: (listener) => {
    edge.on('message', listener);
    edge.unref();
  },
  post: (message) => edge.postMessage(message),
});
const log = createLogger(config.logLevel);
const metrics = createRegistry('services', false);
const peers = new PeerRegistry();
let publicUrl = '';
let setRpcUrls: (urls: readonly string[]) => void = () => undefined;
const rpcUrls = new Promise<readonly string[]>((resolve) => {
  setRpcUrls = resolve;
});

async function start(): Promise<{
  readonly serving: ServingThread;
  readonly routes: readonly Route[];
  stop(): Promise<void>;
}> {
  const [backends, definitions] = await Promise.all([
    joinEmbedded(config, shared, rpcUrls),
    services.length === 0 ? [] : definitionsOf(services),
  ]);
  const thread: ThreadContext = {
    config,
    log,
    metrics,
    peers,
    eventLog: backends.eventLog,
    counters: backends.counters,
    clock: () => Date.now(),
    chain: () => backends.chain(),
    publicUrl: () => publicUrl,
    processView: async (names) => {
      const [atEdge, samples] = await Promise.all([edgeCalls.call('state', names), samplesOf(metrics, names)]);
      return {
        services: [...atEdge.services, ...definitions.map(({ name }) => name)],
        notReady: [...atEdge.notReady, ...(await started).serving.notReady()],
        samples: [...atEdge.samples, ...samples],
      };
    },
  };
  const serving = await serveThread(definitions, thread, { on: { path: socketPath }, behindEdge: true });
  return {
    serving,
    routes: definitions.flatMap(({ routes }) => routes),
    async stop() {
      await backends.closeChain();
      await serving.stop();
      await backends.close();
    },
  };
}

const started = start();
started.catch(() => undefined);

const handlers = {
  rpcUrls: (urls: readonly string[]) => setRpcUrls(urls),
  publicUrl: (url: string) => {
    publicUrl = url;
  },
  started: async () => (await started).routes,
  notReady: async () => (await started).serving.notReady(),
  metrics: () => metrics.getMetricsAsJSON(),
  hasAccount: async () => (await peers.peer('account-operator')).hasAccount(),
  createAccount: async (first: FirstAccount) => (await peers.peer('account-operator')).createFirst(first),
  createAgent: async (first: FirstAgent) => (await peers.peer('agent-operator')).createFirst(first),
  setPlan: async (change: PlanChange) => (await peers.peer('account-operator')).setPlan(change),
  passwordLink: async (request: PasswordLinkRequest) => (await peers.peer('account-operator')).passwordLink(request),
  signInOnce: async (email: string) => (await peers.peer('account-operator')).signInOnce(email),
  signingKeys: async (request: SigningKeyRequest) => answerKeys(await peers.peer('signing-key-operator'), request),
  closeIntake: async (graceMs: number) => (await started).serving.closeIntake(graceMs),
  stop: async () => {
    await (await started).stop();
    // The reply is sent first; nothing else keeps the thread running then.
    setImmediate(() => channel.close());
  },
};
export type WorkerCalls = typeof handlers;

answerCalls(
  { listen: (listener) => channel.on('message', listener), post: (message) => channel.postMessage(message) },
  handlers,
);
