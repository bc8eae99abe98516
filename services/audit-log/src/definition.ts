import {
  agentHistoryRoutes,
  anchoringStateRoutes,
  auditLogRoutes,
  completenessRoutes,
  eventStreamRoutes,
  followUpRoutes,
  legalHoldRoutes,
  oneEventRoutes,
  outcomeRoutes,
  searchRoutes,
  statsRoutes,
} from '@countersign/contracts';
import { join } from 'node:path';
import { Module, type DynamicModule } from '@nestjs/common';
import type { AccountFacts, AgentFacts, DeclaredScope, Route } from '@countersign/contracts';
import { actRecorder } from '@countersign/service-kit';
import type { RunningService, ServiceContext, ServiceDefinition } from '@countersign/service-kit';
import { OutboxRelay, Projection } from '@countersign/topics';
import { Acknowledgements } from './acknowledge/acknowledgements.js';
import { AgentAnchorsController } from './http/agent-anchors-controller.js';
import { CompletenessController } from './http/completeness-controller.js';
import { AnchoringStateController } from './http/anchoring-state-controller.js';
import { AgentHistoryController } from './http/agent-history-controller.js';
import { AlertsController } from './http/alerts-controller.js';
import { eventArchive } from './archive/event-archive.js';
import { EraseContentController } from './http/erase-content-controller.js';
import { Erasure } from './erase-content/erasure.js';
import { erasures } from './erase-content/erasures.js';
import { ExportEventsController } from './http/export-events-controller.js';
import { AnchorIntake } from './ingest/anchor-intake.js';
import { Consumers } from './ingest/consumers.js';
import { EventIntake } from './ingest/event-intake.js';
import { ownedAgent, type OwnedAgent } from './domain/owned-agent.js';
import { FollowUps } from './follow-ups/follow-ups.js';
import { FollowUpsController } from './http/follow-ups-controller.js';
import { LegalHoldsController } from './http/legal-holds-controller.js';
import { ErasureGate } from './legal-holds/erasure-gate.js';
import { LegalHolds, type OwnedAgents } from './legal-holds/legal-holds.js';
import { ListEventsController } from './http/list-events-controller.js';
import { OneEventController } from './http/one-event-controller.js';
import { HeadPublisher } from './publish-heads/head-publisher.js';
import { OutcomeHandler } from './report-outcome/outcome-handler.js';
import { StreamEventsController } from './http/stream-events-controller.js';
import { SearchController } from './http/search-controller.js';
import { StatsController } from './http/stats-controller.js';
import { ReportOutcomeController } from './http/report-outcome-controller.js';
import { followRetention } from './retention/follow-retention.js';
import type { HoldStore } from './store/hold-port.js';
import { openMongoHoldStore, openSqliteHoldStore } from './store/open-holds.js';
import type { EventStore } from './store/port.js';
import {
  ACCOUNTS,
  ACKNOWLEDGEMENTS,
  AGENTS,
  ANCHOR_INTAKE,
  CLOCK,
  ERASURE,
  EVENT_INTAKE,
  FOLLOW_UPS,
  LEGAL_HOLDS,
  OUTCOME_HANDLER,
  PROOFS,
  STORE,
} from './tokens.js';

/** The archive of events: lists, the violation inbox, erasure, and where events are anchored. */
export const definition: ServiceDefinition = {
  name: 'audit-log',
  routes: [
    auditLogRoutes,
    followUpRoutes,
    legalHoldRoutes,
    oneEventRoutes,
    agentHistoryRoutes,
    searchRoutes,
    statsRoutes,
    anchoringStateRoutes,
    completenessRoutes,
    eventStreamRoutes,
    outcomeRoutes,
  ].flatMap((routes) => Object.values<Route>(routes)),
  reads: ['agent-events', 'anchors', 'agents', 'accounts', 'compliance-scopes'],
  writes: ['agent-events', 'agent-heads', 'dead-letters'],
  after: [],
  asks: ['proof-source'],
  start,
};

@Module({})
class AuditLogModule {}

/** Opens the store, follows the projections and puts the parts together. */
async function start(context: ServiceContext): Promise<RunningService> {
  const store = await context.openStore<EventStore>({
    sqlite: async () => new (await import('./store/sqlite.js')).SqliteEventStore(join(context.directory, 'events.db')),
    mongo: async (uri) => (await import('./store/mongo.js')).openMongoEventStore(uri),
  });
  const holdStore = await context.openStore<HoldStore>({
    sqlite: () => openSqliteHoldStore(join(context.directory, 'holds.db')),
    mongo: openMongoHoldStore,
  });
  const agents = await Projection.follow<AgentFacts, OwnedAgent>(context, 'agents', { keep: ownedAgent });
  const accounts = await Projection.follow<AccountFacts>(context, 'accounts');
  const scopes = await Projection.follow<DeclaredScope>(context, 'compliance-scopes');
  const heads = new HeadPublisher(context, store);
  const events = new EventIntake(context, store, heads.moved);
  const gate = new ErasureGate(context, holdStore);
  const erasure = new Erasure(context, { store, intake: events, accounts, gate });
  const owned: OwnedAgents = {
    accountOf: (agentId) => agents.get(agentId)?.value.accountId ?? null,
    caughtUp: () => agents.caughtUp(),
  };
  const recorded = actRecorder(context, accounts);
  const relay = new OutboxRelay(context, holdStore);
  await relay.start();
  const trail = { recorded, flush: () => void relay.flush().catch(() => undefined) };
  const holds = new LegalHolds(context, holdStore, owned, trail, {
    ends: () => context.eventLog.endOffsets('agent-events'),
    hasPassed: (ends) => events.hasStored(ends),
  });
  const acknowledgements = new Acknowledgements(context, store, recorded);
  context.provide('event-archive', eventArchive(store, events));
  context.provide('erasures', erasures(store));
  heads.start();
  const retention = followRetention(context, { store, intake: events, accounts, scopes, gate });

  const module: DynamicModule = {
    module: AuditLogModule,
    controllers: [
      Consumers,
      ListEventsController,
      OneEventController,
      ExportEventsController,
      StreamEventsController,
      AlertsController,
      SearchController,
      StatsController,
      AnchoringStateController,
      CompletenessController,
      AgentAnchorsController,
      AgentHistoryController,
      EraseContentController,
      FollowUpsController,
      LegalHoldsController,
      ReportOutcomeController,
    ],
    providers: [
      { provide: STORE, useValue: store },
      { provide: CLOCK, useValue: context.clock },
      { provide: EVENT_INTAKE, useValue: events },
      { provide: ANCHOR_INTAKE, useValue: new AnchorIntake(store) },
      { provide: ERASURE, useValue: erasure },
      { provide: FOLLOW_UPS, useValue: new FollowUps(context, store, recorded) },
      { provide: LEGAL_HOLDS, useValue: holds },
      { provide: ACKNOWLEDGEMENTS, useValue: acknowledgements },
      { provide: OUTCOME_HANDLER, useValue: new OutcomeHandler(context, store, events, accounts, agents) },
      { provide: PROOFS, useValue: () => context.peerNow('proof-source') },
      { provide: ACCOUNTS, useValue: accounts },
      { provide: AGENTS, useValue: agents },
    ],
  };
  return {
    module,
    consumer: {
      group: 'audit-log',
      position: (topic, partition) =>
        topic === 'agent-events' ? events.begin(topic, partition) : store.position(topic, partition),
    },
    notReady: () =>
      [agents.problem(), accounts.problem(), scopes.problem(), heads.problem(), relay.problem()].filter(
        (problem): problem is string => problem !== null,
      ),
    stop: async () => {
      await retention?.stop();
      await heads.stop();
      await scopes.stop();
      await agents.stop();
      await accounts.stop();
      await relay.stop();
      await store.close();
      await holdStore.close();
    },
  };
}
