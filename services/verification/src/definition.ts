import { dirname, join } from 'node:path';
import { Controller, Inject, Module, type DynamicModule } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import {
  keySetRoutes,
  publicAgentRoutes,
  publicReportRoutes,
  verificationPageRoutes,
  verificationRoutes,
} from '@countersign/contracts';
import type { LogBatch } from '@countersign/event-log';
import type { ServiceContext, ServiceDefinition } from '@countersign/service-kit';
import { keepFacts } from './follow-facts.js';
import { LOG } from './http/failed.js';
import { KeySetController } from './http/key-set-controller.js';
import { LookUpsController } from './http/look-ups-controller.js';
import { PublicController } from './http/public-controller.js';
import { PageController } from './http/page-controller.js';
import { PUBLIC_VERIFICATION, PublicVerification } from './public-verification.js';
import type { PackageBodies } from './store/package-bodies.js';
import { openMongoPublicFacts, openSqlitePublicFacts } from './store/open.js';
import type { PublicFacts } from './store/port.js';

const FACTS = Symbol('public-facts');

@Controller()
class FactsConsumer {
  readonly #facts: PublicFacts;
  constructor(@Inject(FACTS) facts: PublicFacts) {
    this.#facts = facts;
  }

  @EventPattern('signing-keys')
  onKeys(@Payload() batch: LogBatch): Promise<void> {
    return keepFacts(this.#facts, batch);
  }

  @EventPattern('reports')
  onReports(@Payload() batch: LogBatch): Promise<void> {
    return keepFacts(this.#facts, batch);
  }

  @EventPattern('anchors')
  onAnchors(@Payload() batch: LogBatch): Promise<void> {
    return keepFacts(this.#facts, batch);
  }

  @EventPattern('agents')
  onAgents(@Payload() batch: LogBatch): Promise<void> {
    return keepFacts(this.#facts, batch);
  }

  @EventPattern('agent-heads')
  onHeads(@Payload() batch: LogBatch): Promise<void> {
    return keepFacts(this.#facts, batch);
  }
}

@Module({})
class VerificationModule {}

/** The public routes: verification without an account, from public facts alone. */
export const definition: ServiceDefinition = {
  name: 'verification',
  routes: [
    ...Object.values(verificationRoutes),
    ...Object.values(keySetRoutes),
    ...Object.values(publicAgentRoutes),
    ...Object.values(publicReportRoutes),
    ...Object.values(verificationPageRoutes),
  ],
  reads: ['signing-keys', 'reports', 'anchors', 'agents', 'agent-heads'],
  writes: [],
  after: [],
  async start(context) {
    const facts = await context.openStore<PublicFacts>({
      sqlite: () => openSqlitePublicFacts(join(context.directory, 'public-facts.db')),
      mongo: (uri) => openMongoPublicFacts(uri),
    });
    const bodies = await openBodies(context);
    const verification = new PublicVerification(
      facts,
      bodies,
      () => context.chain(),
      context.log,
      () => context.publicUrl(),
    );
    const anyKey = keyWatch(facts);
    await anyKey.look();
    return {
      module: moduleOf(verification, facts, context),
      consumer: { group: 'verification', position: (topic, partition) => facts.position(topic, partition) },
      notReady: () => (anyKey.seen() ? [] : ['no signing key has been published yet']),
      stop: async () => {
        verification.end();
        await bodies.close();
        await facts.close();
      },
    };
  },
};

/** Opens the packages that reporting stores: in the folder next to this service's own, or in the same database. */
function openBodies(context: ServiceContext): Promise<PackageBodies> {
  return context.openStore<PackageBodies>({
    sqlite: async () =>
      (await import('./store/package-bodies.js')).openFilePackageBodies(
        join(dirname(context.directory), 'reporting', 'packages'),
      ),
    mongo: async (uri) => (await import('./store/mongo-package-bodies.js')).openMongoPackageBodies(uri),
  });
}

/** Watches for the first signing key, which another instance may store. */
function keyWatch(facts: PublicFacts): { look(): Promise<void>; seen(): boolean } {
  let known = false;
  let looking: Promise<void> | null = null;
  const look = (): Promise<void> =>
    (looking ??= facts
      .keys()
      .then(
        (keys) => void (known = keys.length > 0),
        () => undefined,
      )
      .finally(() => (looking = null)));
  return {
    look,
    seen: () => {
      if (!known) void look();
      return known;
    },
  };
}

function moduleOf(
  verification: PublicVerification,
  facts: PublicFacts,
  { log }: Pick<ServiceContext, 'log'>,
): DynamicModule {
  return {
    module: VerificationModule,
    controllers: [PublicController, KeySetController, LookUpsController, PageController, FactsConsumer],
    providers: [
      { provide: PUBLIC_VERIFICATION, useValue: verification },
      { provide: FACTS, useValue: facts },
      { provide: LOG, useValue: log },
    ],
  };
}
