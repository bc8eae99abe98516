import type { DynamicModule } from '@nestjs/common';
import { Deadlines } from '@countersign/async';
import { checkRoutes, evaluationRoutes, scanRoutes } from '@countersign/contracts';
import type { Route } from '@countersign/contracts';
import type { RunningService, ServiceContext, ServiceDefinition } from '@countersign/service-kit';
import { AccountShares } from './admission/account-shares.js';
import { Admission, LONG_TURN } from './admission/admission.js';
import { Passage } from './admission/passage.js';
import { Turns } from './admission/turns.js';
import { BatchedAppender } from './append-event/batched-appender.js';
import { UnansweredChecks } from './append-event/unanswered-checks.js';
import { CheckHandler } from './http/check-handler.js';
import { CheckJudge } from './check/check-judge.js';
import { CheckRecorder } from './check/check-recorder.js';
import { Credentials } from './check/credentials.js';
import type { CheckUnderWay } from './check/check-under-way.js';
import { EntropyPool } from './domain/entropy.js';
import { Evaluator } from './evaluation/evaluator.js';
import { KnownFacts } from './follow/known-facts.js';
import { EVALUATOR, EvaluationController } from './http/evaluation-controller.js';
import { SCANNER, ScanController, TOOL_LISTER } from './http/scan-controller.js';
import { GatewayMetrics } from './metrics/gateway-metrics.js';
import { RefusalLog } from './metrics/refusal-log.js';
import { CountersKeeper } from './rebuild-counters/counters-keeper.js';
import { rebuildCounters } from './rebuild-counters/rebuild-counters.js';
import { Scanner } from './scan/scanner.js';
import { ToolLister } from './scan/tool-lister.js';

/** Decides checks, makes their events durable, answers. */
export const definition: ServiceDefinition = {
  name: 'gateway',
  routes: [checkRoutes, evaluationRoutes, scanRoutes].flatMap((routes) => Object.values<Route>(routes)),
  reads: ['accounts', 'api-keys', 'agents', 'sessions', 'usage', 'agent-events'],
  writes: ['agent-events'],
  // Where they run in the same thread: what a crash left between their stores and the log is settled first.
  after: ['identity', 'policy'],
  start: createGateway,
};

class GatewayModule {}

/**
 * The gateway on the ports of `context`: `bare` answers its routes. It serves once its copies of accounts, keys and
 * agents are read and the counters stand; until then every check is 503, and `notReady` says why.
 */
export async function createGateway(context: ServiceContext): Promise<RunningService> {
  const { counters, eventLog, log, config } = context;
  const now = (): number => performance.now();
  const entropy = new EntropyPool();
  const known = await KnownFacts.follow(context);
  const unanswered = new UnansweredChecks({ eventLog, counters, log, entropy, now });
  const deadlines = new Deadlines<CheckUnderWay>((due) => {
    for (const check of due) check.expire();
  }, now);
  const trips = new Passage(now);
  const appends = new Passage(now);
  const deadlineMs = config.checkDeadlineMs;
  const turns: Turns = new Turns({
    longMs: deadlineMs * LONG_TURN,
    now,
    lastly: () => checkHandler.endTurn(),
  });
  const admission = new Admission({
    known,
    counters,
    eventLog,
    unanswered,
    turns,
    trips,
    appends,
    deadlineMs,
    shares: new AccountShares(now),
    log,
  });
  const metrics: GatewayMetrics = new GatewayMetrics(context.metrics, {
    inFlight: () => admission.inFlight,
    unanswered: () => unanswered.size,
    compiledProfiles: () => known.compiledProfiles,
    claims: () => counters.claims(),
  });
  const recorder = new CheckRecorder({
    counters,
    appender: new BatchedAppender(eventLog, {
      begun: (size) => {
        metrics.batch(size);
        appends.entered();
      },
      ended: (size, milliseconds, fate) => {
        metrics.appended(size, milliseconds);
        if (fate === 'durable') appends.passed(milliseconds);
        else appends.failed();
      },
    }),
    unanswered,
    log,
    recorded: (outcome, check) => metrics.recorded(outcome, now() - check.startedAt),
  });
  const credentials = new Credentials(known, counters, context.clock);
  const judge = new CheckJudge({
    known,
    counters,
    credentials,
    recorder,
    unanswered,
    entropy,
    upgradeUrl: config.upgradeUrl,
    now,
    trips,
    replayed: () => metrics.replayed(),
    crowded: () => metrics.crowded(),
    counted: (milliseconds) => metrics.counted(milliseconds),
  });
  const checkHandler = new CheckHandler({
    known,
    credentials,
    judge,
    admission,
    unanswered,
    deadlines,
    metrics,
    refusals: new RefusalLog(log, now),
    log,
    deadlineMs,
    now,
  });
  const keeper = new CountersKeeper(counters, () => rebuildCounters({ eventLog, counters, log }, now), log);
  keeper.start();
  const module: DynamicModule = {
    module: GatewayModule,
    controllers: [EvaluationController, ScanController],
    providers: [
      { provide: EVALUATOR, useValue: new Evaluator(checkHandler, known, credentials) },
      { provide: SCANNER, useValue: new Scanner(known, counters) },
      { provide: TOOL_LISTER, useValue: new ToolLister(known, counters) },
    ],
  };
  return {
    rawHandler: checkHandler.handle,
    module,
    notReady: () => [known.problem(), keeper.problem(), eventLog.refusing()].filter((problem) => problem !== null),
    async stop() {
      await checkHandler.drain();
      deadlines.stop();
      await unanswered.stop();
      await keeper.stop();
      await known.stop();
    },
  };
}
