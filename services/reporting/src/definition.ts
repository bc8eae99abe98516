import { join } from 'node:path';
import { Controller, Inject, Module, type DynamicModule } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { reportingRoutes, type AccountFacts, type AgentFacts } from '@countersign/contracts';
import type { LogBatch } from '@countersign/event-log';
import {
  nodeCrypto,
  OutboxRelay,
  Projection,
  type ServiceContext,
  type ServiceDefinition,
} from '@countersign/service-kit';
import { openFileBlobs } from './blobs/blob-store.js';
import { keepAnchors, waitForReportAnchor } from './follow-anchors/follow-anchors.js';
import { ReportsController } from './http/reports.controller.js';
import { loadControlMapping } from './mapping/control-mapping.js';
import { Reports, REPORTS } from './reports.js';
import { openKeyRing } from './signing-keys/key-ring.js';
import type { ReportStore } from './store/port.js';
import { openSqliteReportStore } from './store/sqlite.js';

const ANCHOR_WAIT_MS = 20_000;
const ARCHIVE_WAIT_MS = 20_000;
const GENERATOR_VERSION = '0.1.0';
const STORE = Symbol('report-store');

@Controller()
class AnchorsConsumer {
  readonly #store: ReportStore;
  constructor(@Inject(STORE) store: ReportStore) {
    this.#store = store;
  }

  @EventPattern('anchors')
  onAnchors(@Payload() batch: LogBatch): void {
    keepAnchors(this.#store, batch);
  }
}

@Module({})
class ReportingModule {}

/** Issues signed evidence packages; owns reports, signing keys and compliance scopes. */
export const definition: ServiceDefinition = {
  name: 'reporting',
  routes: Object.values(reportingRoutes),
  reads: ['accounts', 'agents', 'anchors'],
  writes: ['reports', 'signing-keys', 'anchor-requests'],
  after: ['audit-log', 'anchoring'],
  asks: ['event-archive', 'proof-source'],
  async start(context) {
    const store = openSqliteReportStore(join(context.directory, 'reports.db'));
    const relay = new OutboxRelay(context, store);
    // Block times are whole seconds: a key made in the same second as its first block must be valid in it.
    const since = new Date(Math.floor(context.clock() / 1000) * 1000).toISOString();
    const keys = await openKeyRing(join(context.directory, 'keys'), since, nodeCrypto);
    const accounts = await Projection.follow<AccountFacts>(context, 'accounts');
    const agents = await Projection.follow<AgentFacts>(context, 'agents');
    const [archive, proofs] = await Promise.all([
      context.neighbour('event-archive'),
      context.neighbour('proof-source'),
    ]);
    store.enqueue(keys.records());
    await relay.start();
    await relay.flush();
    const reports = new Reports(
      {
        archive,
        proofs,
        mapping: loadControlMapping(nodeCrypto),
        store,
        blobs: await openFileBlobs(join(context.directory, 'packages')),
        crypto: nodeCrypto,
        generatorVersion: GENERATOR_VERSION,
        anchorWaitMs: ANCHOR_WAIT_MS,
        signer: () => keys.active(),
        authorities: () =>
          store
            .authorities()
            .map(({ address, network, validFrom, validTo }) => ({ address, network, validFrom, validTo })),
        publicUrl: () => context.publicUrl(),
        now: () => context.counters.now(),
        flush: () => relay.flush(),
        anchorOf: (reportId, timeoutMs) => waitForReportAnchor(store, reportId, timeoutMs),
      },
      {
        accounts,
        agents,
        settled: () => settled(context, archive),
        agentVersion: (id) => context.counters.version('agent', id),
      },
    );
    return {
      module: moduleOf(reports, store),
      consumer: { group: 'reporting', position: (_topic, partition) => store.anchorsPosition(partition) },
      notReady: () => [accounts.problem(), agents.problem()].filter((problem) => problem !== null),
      stop: async () => {
        await Promise.all([accounts.stop(), agents.stop()]);
        await relay.stop();
        store.close();
      },
    };
  },
};

function moduleOf(reports: Reports, store: ReportStore): DynamicModule {
  return {
    module: ReportingModule,
    controllers: [ReportsController, AnchorsConsumer],
    providers: [
      { provide: REPORTS, useValue: reports },
      { provide: STORE, useValue: store },
    ],
  };
}

async function settled(
  context: ServiceContext,
  archive: { caughtUp(offsets: Readonly<Record<number, number>>, timeoutMs: number): Promise<void> },
): Promise<void> {
  await archive.caughtUp(await context.eventLog.endOffsets('agent-events'), ARCHIVE_WAIT_MS);
}
