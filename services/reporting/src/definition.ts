import { join } from 'node:path';
import { Controller, Inject, Module, type DynamicModule } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import {
  coverageRoutes,
  reportingRoutes,
  reportJobRoutes,
  reportSeriesRoutes,
  reportShareRoutes,
  type AccountFacts,
  type AgentFacts,
} from '@countersign/contracts';
import type { LogBatch } from '@countersign/event-log';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { actRecorder } from '@countersign/service-kit';
import type { ServiceContext, ServiceDefinition } from '@countersign/service-kit';
import { OutboxRelay, Projection, TopicTail } from '@countersign/topics';
import type { BlobStore } from './blobs/blob-store.js';
import { keepAnchors, waitForReportAnchor } from './follow-anchors/follow-anchors.js';
import { COVERAGES, Coverages } from './count-coverage/coverages.js';
import type { Directory } from './directory.js';
import { CoverageController } from './http/coverage-controller.js';
import { ReportJobsController } from './http/report-jobs-controller.js';
import { ReportSharesController } from './http/report-shares-controller.js';
import { SeriesController } from './http/series-controller.js';
import { ReportsController } from './http/reports-controller.js';
import { REPORT_SERIES, ReportSeries } from './issue-series/report-series.js';
import type { Issuer } from './issue-report/issue.js';
import { reportedAgent, type ReportedAgent } from './issue-report/reported-agent.js';
import { loadControlMapping } from './mapping/control-mapping.js';
import { exportingAccount, Reports, REPORTS } from './reports.js';
import { ownedOf, ReportTopic } from './report-topic.js';
import { JobRunner } from './report-jobs/job-runner.js';
import { REPORT_JOBS, ReportJobs } from './report-jobs/report-jobs.js';
import { REPORT_SHARES, ReportShares } from './sharing/report-shares.js';
import { serveKeys } from './signing-keys/serve-keys.js';
import { Recomputer } from './recompute/recomputer.js';
import { PdfRenderer } from './render-pdf/pdf-renderer.js';
import { publishScopes } from './scope/publish-scopes.js';
import { openMongoReportStore, openSqliteReportStore } from './store/open.js';
import type { ReportStore } from './store/port.js';
import { reportWithdrawn } from './trail/acts.js';
import { requireUnerased, type WithdrawalContext } from './withdraw/withdraw-report.js';
import { Withdrawals } from './withdraw/withdrawals.js';

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
  onAnchors(@Payload() batch: LogBatch): Promise<void> {
    return keepAnchors(this.#store, batch);
  }
}

@Module({})
class ReportingModule {}

/** Issues signed evidence packages; owns reports, signing keys and compliance scopes. */
export const definition: ServiceDefinition = {
  name: 'reporting',
  routes: [reportingRoutes, reportSeriesRoutes, reportJobRoutes, reportShareRoutes, coverageRoutes].flatMap((routes) =>
    Object.values(routes),
  ),
  reads: ['accounts', 'agents', 'anchors', 'reports', 'signing-keys', 'compliance-scopes'],
  writes: ['reports', 'signing-keys', 'anchor-requests', 'compliance-scopes', 'agent-events'],
  after: ['audit-log', 'anchoring'],
  asks: ['event-archive', 'erasures', 'proof-source'],
  async start(context) {
    const store = await openStore(context);
    const blobs = await openBlobs(context);
    const relay = new OutboxRelay(context, store);
    // Leftovers of a crash are removed first: the topics are compared afterwards.
    await relay.flush();
    const keys = await serveKeys(context);
    await publishScopes(context.eventLog, store, new Date(context.clock()).toISOString());
    await relay.flush();
    const topic = new ReportTopic(context, store);
    const tail = await followTail(context, store);
    const accounts = await Projection.follow<AccountFacts>(context, 'accounts');
    const agents = await Projection.follow<AgentFacts, ReportedAgent>(context, 'agents', { keep: reportedAgent });
    const [archive, erasures, proofs] = await Promise.all([
      context.peer('event-archive'),
      context.peer('erasures'),
      context.peer('proof-source'),
    ]);
    const recorded = actRecorder(context, accounts);
    const withdrawalContext: WithdrawalContext = {
      ...{ store, blobs, erasures, flush: () => relay.flush() },
      withdrawn: (report, reason) => recorded(reportWithdrawn(report, reason)).catch(() => []),
    };
    const withdrawals = new Withdrawals(context, withdrawalContext);
    // If the store is behind its topic, bodies that it does not know may belong to a report that is to be restored.
    void topic.compared.then(() => topic.problem() ?? withdrawals.start());
    const recomputer = new Recomputer(context.log);
    const pdf = new PdfRenderer();
    const mapping = loadControlMapping(nodeCrypto);
    const now = (): Promise<number> => context.counters.now();
    const directory: Directory = {
      accounts,
      agents,
      settled: () => settled(context, archive),
      agentVersion: (id) => context.counters.version('agent', id),
    };
    const issuer: Issuer = {
      archive,
      proofs,
      mapping,
      store,
      blobs,
      recomputer,
      pdf,
      crypto: nodeCrypto,
      generatorVersion: GENERATOR_VERSION,
      anchorWaitMs: ANCHOR_WAIT_MS,
      signer: () => keys.forReport(),
      authorities: async () =>
        (await store.authorities()).map(({ address, network, validFrom, validTo }) => ({
          address,
          network,
          validFrom,
          validTo,
        })),
      publicUrl: () => context.publicUrl(),
      now,
      recorded,
      flush: () => relay.flush(),
      requireUnerased: (report) => requireUnerased(withdrawalContext, report),
      anchorOf: (reportId, timeoutMs) => waitForReportAnchor(store, reportId, timeoutMs),
    };
    const reports = new Reports(issuer, directory);
    const runner = new JobRunner(issuer, directory, context.log);
    const jobs = new ReportJobs(store, directory, now, runner.wake);
    runner.start();
    const series = new ReportSeries(issuer, (accountId) => exportingAccount(directory, accountId).name);
    const coverages = new Coverages({ archive, mapping, store, directory, now });
    return {
      module: moduleOf({ reports, series, jobs, shares: new ReportShares(issuer, context.log), coverages, store }),
      consumer: { group: 'reporting', position: (_topic, partition) => store.anchorsPosition(partition) },
      notReady: () =>
        [accounts.problem(), agents.problem(), relay.problem(), topic.problem(), keys.problem()].filter(
          (problem) => problem !== null,
        ),
      stop: async () => {
        recomputer.end();
        pdf.end();
        await runner.stop();
        await withdrawals.stop();
        await Promise.all([accounts.stop(), agents.stop()]);
        await topic.compared;
        await tail?.stop();
        await keys.stop();
        await relay.stop();
        await blobs.close();
        await store.close();
      },
    };
  },
};

/** Follows the topic to repair its order; not needed if a single process writes it. */
async function followTail(context: ServiceContext, store: ReportStore): Promise<TopicTail | null> {
  if (context.config.profile === 'embedded') return null;
  return TopicTail.follow(context, 'reports', async (id) => {
    const report = await store.anyReport(id);
    return report === null ? null : ownedOf(report);
  });
}

function openStore(context: ServiceContext): Promise<ReportStore> {
  return context.openStore<ReportStore>({
    sqlite: () => openSqliteReportStore(join(context.directory, 'reports.db')),
    mongo: openMongoReportStore,
  });
}

function openBlobs(context: ServiceContext): Promise<BlobStore> {
  return context.openStore<BlobStore>({
    sqlite: async () => (await import('./blobs/file-blobs.js')).openFileBlobs(join(context.directory, 'packages')),
    mongo: async (uri) => (await import('./store/mongo-blobs.js')).openMongoBlobs(uri),
  });
}

interface Provided {
  readonly reports: Reports;
  readonly series: ReportSeries;
  readonly jobs: ReportJobs;
  readonly shares: ReportShares;
  readonly coverages: Coverages;
  readonly store: ReportStore;
}

function moduleOf({ reports, series, jobs, shares, coverages, store }: Provided): DynamicModule {
  return {
    module: ReportingModule,
    controllers: [
      ReportsController,
      SeriesController,
      ReportJobsController,
      ReportSharesController,
      CoverageController,
      AnchorsConsumer,
    ],
    providers: [
      { provide: REPORTS, useValue: reports },
      { provide: REPORT_SERIES, useValue: series },
      { provide: REPORT_JOBS, useValue: jobs },
      { provide: REPORT_SHARES, useValue: shares },
      { provide: COVERAGES, useValue: coverages },
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
