import { join } from 'node:path';
import type { DynamicModule } from '@nestjs/common';
import {
  accessRequestRoutes,
  agentSigningRoutes,
  approvalRoutes,
  eventExplanationRoutes,
  policyRoutes,
} from '@countersign/contracts';
import type { AccountFacts, Route } from '@countersign/contracts';
import { Announcer, OutboxRelay, Projection, republish, TopicAhead, TopicTail } from '@countersign/topics';
import { denialTokens } from '@countersign/service-kit';
import type { RunningService, ServiceContext, ServiceDefinition } from '@countersign/service-kit';
import type { Owned } from '@countersign/topics';
import { AgentChanges } from './change-agent/agent-changes.js';
import { agentOperator } from './change-agent/agent-operator.js';
import { cadenceOf, mostAgentsOf } from './cadence.js';
import { ChangeBounds } from './change-agent/change-bounds.js';
import { DryRuns } from './dry-run/dry-runs.js';
import { AccessRequests } from './decide-approval/access-requests.js';
import { openApprovals } from './decide-approval/open-approvals.js';
import { CheckConsumer } from './follow/check-consumer.js';
import { CheckFollower, GROUP } from './follow/check-follower.js';
import { UsagePublisher } from './follow/usage-publisher.js';
import { AccessRequestsController } from './http/access-requests-controller.js';
import { ApprovalsController } from './http/approvals-controller.js';
import { AgentsController } from './http/agents-controller.js';
import { ExplainController } from './http/explain-controller.js';
import { ExplainEventController } from './http/explain-event-controller.js';
import { ProfilesController } from './http/profiles-controller.js';
import { DryRunController } from './http/dry-run-controller.js';
import { SigningController } from './http/signing-controller.js';
import { RegistrationController } from './http/registration-controller.js';
import {
  ACCESS_REQUESTS,
  AGENT_CHANGES,
  APPROVALS,
  ARCHIVE,
  CHECK_FOLLOWER,
  COUNTERS,
  DRY_RUNS,
  POLICY_STORE,
  KEY_REGISTRATIONS,
  REGISTRATIONS,
  SAFETY_PACKAGES,
} from './http/tokens.js';
import type { Agent } from './domain/agent.js';
import { KeyRegistrations } from './register-by-key/key-registrations.js';
import { Registrations } from './register-agent/registrations.js';
import { loadPackages } from './safety-packages/load-packages.js';
import type { SafetyPackage } from './safety-packages/load-packages.js';
import { openMongoPolicyStore, openSqlitePolicyStore } from './store/open.js';
import type { PolicyStore } from './store/port.js';

export { restoreFromTopics } from './restore.js';
export { openStoreRebuild } from './store/open.js';
export { inspectPolicy } from './store/inspect.js';
export type { PolicyInspection } from './store/inspect.js';

/** Agents, behavior profiles, safety packages and usage totals. */
export const definition: ServiceDefinition = {
  name: 'policy',
  routes: [policyRoutes, agentSigningRoutes, approvalRoutes, accessRequestRoutes, eventExplanationRoutes].flatMap(
    (routes) => Object.values<Route>(routes),
  ),
  reads: ['agent-events', 'accounts', 'agents', 'api-keys', 'approvals'],
  writes: ['agents', 'agent-events', 'usage', 'approvals', 'dead-letters'],
  after: ['identity'],
  asks: ['event-archive'],
  start,
};

class PolicyModule {}

/** The safety packages, read and checked at the first call: compiling the schema of policy files would slow down the start. */
function packagesAtFirstUse(): () => readonly SafetyPackage[] {
  let packages: readonly SafetyPackage[] | null = null;
  return () => (packages ??= loadPackages());
}

async function start(context: ServiceContext): Promise<RunningService> {
  const store = await context.openStore<PolicyStore>({
    sqlite: () => openSqlitePolicyStore(join(context.directory, 'policy.sqlite')),
    mongo: (uri) => openMongoPolicyStore(uri),
  });
  const accounts = await Projection.follow<AccountFacts>(context, 'accounts');
  const relay = new OutboxRelay(context, store.outbox);
  const announcer = new Announcer(context, relay, store.announcements, ({ id }) => alignFreeze(context, store, id));
  await announcer.start();
  const bounds = new ChangeBounds(context.metrics, mostAgentsOf(accounts));
  const changes = new AgentChanges(context, store, announcer, cadenceOf(context.config, accounts), bounds);
  const comparison = compare(context, store);
  const agreed = unlessAhead(comparison);
  const follower = new CheckFollower(context, store, announcer, agreed);
  const approvals = await openApprovals(context, store, announcer, agreed);
  const publicUrl = (): string => context.publicUrl();
  const tokens = await denialTokens(context.config, publicUrl, context.clock);
  const accessRequests = new AccessRequests(approvals.approvals, store, tokens, publicUrl, context.clock);
  const publisher = new UsagePublisher(context, store, announcer);
  publisher.start();
  context.provide('agent-operator', agentOperator(changes));

  let comparing: string | null = 'the topic agents is being compared with the store';
  const compared = comparison.then(
    () => (comparing = null),
    (error: unknown) => {
      comparing =
        error instanceof TopicAhead ? error.message : 'the store cannot be compared with its topics: see the log';
      context.log.error({ err: error }, 'agents cannot be served');
    },
  );

  // With a single writer, the order of the topic is that of the changes.
  const tail =
    context.config.profile === 'embedded'
      ? null
      : await TopicTail.follow(context, 'agents', async (id) => {
          const agent = await store.find(id);
          return agent === null ? null : ownedOf(agent);
        });

  const module: DynamicModule = {
    module: PolicyModule,
    controllers: [
      AgentsController,
      ProfilesController,
      ExplainController,
      ExplainEventController,
      DryRunController,
      ApprovalsController,
      AccessRequestsController,
      RegistrationController,
      SigningController,
      CheckConsumer,
    ],
    providers: [
      { provide: AGENT_CHANGES, useValue: changes },
      { provide: APPROVALS, useValue: approvals.approvals },
      { provide: ACCESS_REQUESTS, useValue: accessRequests },
      { provide: POLICY_STORE, useValue: store },
      { provide: SAFETY_PACKAGES, useValue: packagesAtFirstUse() },
      { provide: COUNTERS, useValue: context.counters },
      { provide: CHECK_FOLLOWER, useValue: follower },
      { provide: ARCHIVE, useValue: () => context.peerNow('event-archive') },
      { provide: DRY_RUNS, useValue: new DryRuns(context) },
      {
        provide: KEY_REGISTRATIONS,
        useValue: new KeyRegistrations(changes, store, context.counters, accounts),
      },
      { provide: REGISTRATIONS, useValue: new Registrations(context, changes, store) },
    ],
  };
  return {
    module,
    consumer: { group: GROUP, position: (topic, partition) => follower.position(topic, partition) },
    notReady: () =>
      [accounts.problem(), announcer.problem(), approvals.problem(), comparing].filter((problem) => problem !== null),
    async stop() {
      await compared;
      await tail?.stop();
      await approvals.stop();
      await publisher.stop();
      await announcer.stop();
      await accounts.stop();
      await store.close();
    },
  };
}

/** Sets the freeze flag of an agent whose record is frozen; the counters ignore a freeze that a later unfreeze has ended. */
async function alignFreeze(context: ServiceContext, store: PolicyStore, id: string): Promise<void> {
  const agent = await store.find(id);
  if (agent?.facts.status === 'frozen') await context.counters.freeze(id, agent.frozenAtMs);
}

/** Rejects only where the topic is ahead of the store: after any other failure of the comparison following continues. */
function unlessAhead(comparison: Promise<void>): Promise<void> {
  const agreed = comparison.catch((error: unknown) => {
    if (error instanceof TopicAhead) throw error;
  });
  // The follower awaits it; it may have nothing to follow.
  agreed.catch(() => undefined);
  return agreed;
}

async function compare(context: ServiceContext, store: PolicyStore): Promise<void> {
  const again = await republish(context, 'agents', owned(store));
  for (const { id, version } of again) await context.counters.raise('agent', id, version);
}

async function* owned(store: PolicyStore): AsyncGenerator<Owned> {
  for await (const agent of store.all()) yield ownedOf(agent);
}

function ownedOf({ id, revision, facts }: Agent): Owned {
  return { id, version: revision, value: facts };
}
