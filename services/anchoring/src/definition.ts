import { anchoringRoutes } from '@countersign/contracts';
import { join } from 'node:path';
import { Module, type DynamicModule } from '@nestjs/common';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { RunningService, ServiceContext, ServiceDefinition } from '@countersign/service-kit';
import { authorityKey } from './authority/authority-key.js';
import { Consumers, INTAKE, type Intake } from './intake/consumers.js';
import { ActiveAnchoring } from './lead/active-anchoring.js';
import { publishedAuthority } from './lead/published-authority.js';
import { Leadership } from './lead/leadership.js';
import { anchoringMetrics } from './metrics.js';
import { proofSource } from './prove/proof-source.js';
import type { AnchorStore } from './store/port.js';
import { ChainClock } from './watch-chain/chain-clock.js';
import { ChainWatch } from './watch-chain/chain-watch.js';
import { ClockWatch } from './watch-chain/clock-watch.js';

/** Windows of the log, their trees, and their roots on the chain. */
export const definition: ServiceDefinition = {
  name: 'anchoring',
  routes: Object.values(anchoringRoutes),
  reads: ['agent-events', 'anchor-requests'],
  writes: ['anchors', 'dead-letters'],
  after: [],
  start,
};

const LOOK_AT_CLOCKS_MS = 5_000;

@Module({})
class AnchoringModule {}

/**
 * Opens the store and the key; proofs are served at once, all else when this instance leads. In a process of its own it
 * is not ready before a node of the chain has answered once (decision 0017).
 */
async function start(context: ServiceContext): Promise<RunningService> {
  const key = await authorityKey(context.directory, () => publishedAuthority(context.eventLog));
  const { sha256 } = nodeCrypto;
  const store = await context.openStore<AnchorStore>({
    sqlite: async () =>
      (await import('./store/sqlite.js')).openSqliteAnchorStore(join(context.directory, 'anchors.db'), sha256),
    mongo: async (uri) => (await import('./store/mongo.js')).openMongoAnchorStore(uri, { sha256 }),
  });
  const chainClock = new ChainClock();
  const clocks = new ClockWatch(chainClock, context.clock, context.log);
  const metrics = anchoringMetrics(
    context.metrics,
    context.clock,
    () => leadership.leads,
    () => clocks.aheadSeconds(),
  );
  context.provide('proof-source', proofSource(store, sha256));
  const leadership: Leadership<ActiveAnchoring> = new Leadership(
    store,
    context.log,
    () => new ActiveAnchoring(context, store, key, metrics, { chainClock, clocks }),
  );
  const watch = new ChainWatch({
    chain: () => context.chain(),
    urls: context.config.solanaRpcUrls,
    log: context.log,
    reached: metrics.chainReached,
    sawTime: (chainMs) => chainClock.saw(chainMs),
  });
  watch.start();
  const looking = setInterval(() => clocks.look(), LOOK_AT_CLOCKS_MS).unref();
  const chainProblems = (): readonly string[] => {
    const problem = context.alone && context.config.profile === 'distributed' ? watch.firstProblem() : null;
    return problem === null ? [] : [problem];
  };
  const intake: Intake = {
    takeLeaves: async (batch) => leadership.active.takeLeaves(batch),
    takeReports: async (batch) => leadership.active.takeReports(batch),
  };
  const module: DynamicModule = {
    module: AnchoringModule,
    controllers: [Consumers],
    providers: [{ provide: INTAKE, useValue: intake }],
  };
  return {
    module,
    consumer: {
      group: 'anchoring',
      mode: 'everyone',
      position: (topic, partition) => store.position(topic, partition),
      sessions: (sessions) => leadership.consumeBy(sessions),
    },
    notReady: () => [...chainProblems(), ...leadership.problems()],
    stop: async () => {
      clearInterval(looking);
      watch.stop();
      await leadership.stop();
      await store.close();
    },
  };
}
