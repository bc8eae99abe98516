import type { DynamicModule } from '@nestjs/common';
import { Deadlines } from '@countersign/async';
import { checkRoutes, evaluationRoutes, gatewayHookRoutes, hookRoutes, scanRoutes } from '@countersign/contracts';
import type { Route } from '@countersign/contracts';
import { RefusalLog } from '@countersign/http-edge';
import { deriveSecret } from '@countersign/process';
import { denialTokens, ownAddress, ownFetch, resolveAll } from '@countersign/service-kit';
import type { RunningService, ServiceContext, ServiceDefinition } from '@countersign/service-kit';
import { AccountShares } from './admission/account-shares.js';
import { Admission, LONG_TICK } from './admission/admission.js';
import { LatencyProbe } from './admission/latency-probe.js';
import { LoopShedder } from './admission/loop-shedder.js';
import { BatchedAppender } from './append-event/batched-appender.js';
import { UnansweredChecks } from './append-event/unanswered-checks.js';
import { CheckHandler } from './http/check-handler.js';
import { CheckJudge } from './check/check-judge.js';
import { CheckRecorder } from './check/check-recorder.js';
import { ParsedChecks } from './check/parsed-checks.js';
import { Credentials } from './check/credentials.js';
import type { PendingCheck } from './check/pending-check.js';
import { EntropyPool } from './domain/entropy.js';
import { ClientAgents } from './evaluation/client-agents.js';
import { Evaluator } from './evaluation/evaluator.js';
import { Requestable } from './evaluation/requestable.js';
import { agentClients, agentNames } from './follow/agent-index.js';
import { ApprovalDecisions } from './follow/approval-decisions.js';
import { ReadModel } from './follow/read-model.js';
import { ExtAuthzAnswerer } from './hooks/ext-authz-answerer.js';
import { GuardrailAnswerer } from './hooks/guardrail-answerer.js';
import { HookAnswerer } from './hooks/hook-answerer.js';
import { OutcomeReporter } from './hooks/outcome-reporter.js';
import { EVALUATOR, EvaluationController } from './http/evaluation-controller.js';
import { EXT_AUTHZ_ANSWERER, GatewayHookController, GUARDRAIL_ANSWERER } from './http/gateway-hook-controller.js';
import { HOOK_ANSWERER, HookController } from './http/hook-controller.js';
import { SCANNER, ScanController, TOOL_LISTER } from './http/scan-controller.js';
import { GatewayMetrics } from './metrics/gateway-metrics.js';
import { CountersKeeper } from './rebuild-counters/counters-keeper.js';
import { rebuildCounters } from './rebuild-counters/rebuild-counters.js';
import { Scanner } from './scan/scanner.js';
import { ToolLister } from './scan/tool-lister.js';
import { Signatures } from './signature/signatures.js';
import { SubjectTokens } from './subject-token/subject-tokens.js';

/** Decides checks, makes their events durable, answers. */
export const definition: ServiceDefinition = {
  name: 'gateway',
  routes: [checkRoutes, evaluationRoutes, scanRoutes, hookRoutes, gatewayHookRoutes].flatMap((routes) =>
    Object.values<Route>(routes),
  ),
  reads: ['accounts', 'api-keys', 'agents', 'approvals', 'sessions', 'usage', 'agent-events'],
  writes: ['agent-events'],
  // In the same thread: these first reconcile what a crash left between their stores and the log.
  after: ['identity', 'policy'],
  start: createGateway,
};

class GatewayModule {}

/**
 * The gateway on the ports of `context`: `bare` answers its routes. It serves once its read model of accounts, keys and
 * agents is complete and the counters serve; until then every check is 503, and `notReady` says why.
 */
export async function createGateway(context: ServiceContext): Promise<RunningService> {
  const { counters, eventLog, log, config } = context;
  const now = (): number => performance.now();
  const entropy = new EntropyPool();
  let approvalsUrl: string | null = null;
  const approvals = { key: await deriveSecret(config, 'approvals'), mostPending: config.pendingApprovalsPerAgent };
  const known = await ReadModel.follow(context);
  const decisions = await ApprovalDecisions.follow(context);
  const unanswered = new UnansweredChecks({ eventLog, counters, log, entropy, now });
  const deadlines = new Deadlines<PendingCheck>((due) => {
    for (const check of due) check.expire();
  }, now);
  const trips = new LatencyProbe(now);
  const appends = new LatencyProbe(now);
  const deadlineMs = config.checkDeadlineMs;
  const shedder: LoopShedder = new LoopShedder({
    longMs: deadlineMs * LONG_TICK,
    now,
    lastly: () => checkHandler.endTick(),
  });
  const admission = new Admission({
    known,
    counters,
    eventLog,
    unanswered,
    shedder,
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
      ended: (size, milliseconds, outcome) => {
        metrics.appended(size, milliseconds);
        if (outcome === 'durable') appends.passed(milliseconds);
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
    subjectTokens: new SubjectTokens(
      { allowedHosts: config.webhookAllowedHosts, resolve: resolveAll, timeoutMs: deadlineMs },
      context.clock,
    ),
    signatures: new Signatures(counters, context.clock),
    upgradeUrl: config.upgradeUrl,
    approvalsUrl: () => (approvalsUrl ??= `${context.publicUrl()}/console#approvals/`),
    approvals,
    now,
    clock: context.clock,
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
    refusals: new RefusalLog(log, 'check', now),
    log,
    deadlineMs,
    behindEdge: config.behindEdge,
    now,
  });
  const rebuild = async (): Promise<void> => {
    await rebuildCounters({ eventLog, counters, log }, now);
    decisions.again();
  };
  const keeper = new CountersKeeper(counters, rebuild, log);
  keeper.start();
  const checks = new ParsedChecks(checkHandler, known, credentials);
  const publicUrl = (): string => context.publicUrl();
  const tokens = await denialTokens(config, publicUrl, context.clock);
  const outcomes = new OutcomeReporter(counters, () => addressOfApi(context), ownFetch(context.config));
  const clients = new ClientAgents(known.agents, agentClients(known.agents), counters, deadlineMs);
  const module: DynamicModule = {
    module: GatewayModule,
    controllers: [EvaluationController, HookController, GatewayHookController, ScanController],
    providers: [
      { provide: EVALUATOR, useValue: new Evaluator(checks, clients, new Requestable(tokens, publicUrl)) },
      { provide: HOOK_ANSWERER, useValue: new HookAnswerer(checks, outcomes) },
      { provide: GUARDRAIL_ANSWERER, useValue: new GuardrailAnswerer(checks, agentNames(known.agents)) },
      { provide: EXT_AUTHZ_ANSWERER, useValue: new ExtAuthzAnswerer(checks) },
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
      await decisions.stop();
      await known.stop();
    },
  };
}

/** The address of the API, where outcomes are reported; `null`: another process serves it, and its address is not set. */
function addressOfApi(context: ServiceContext): string | null {
  const { apiUrl, profile } = context.config;
  if (apiUrl !== null || profile === 'distributed') return apiUrl;
  return ownAddress(context.config, () => context.publicUrl());
}
