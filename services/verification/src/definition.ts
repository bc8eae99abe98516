import { join } from 'node:path';
import { Controller, Inject, Module, type DynamicModule } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { verificationRoutes } from '@countersign/contracts';
import type { LogBatch } from '@countersign/event-log';
import type { ServiceDefinition } from '@countersign/service-kit';
import { keepFacts } from './follow-facts.js';
import { PublicController } from './http/public.controller.js';
import { PUBLIC_VERIFICATION, PublicVerification } from './public-verification.js';
import type { PublicFacts } from './store/port.js';
import { openSqlitePublicFacts } from './store/sqlite.js';

const FACTS = Symbol('public-facts');

@Controller()
class FactsConsumer {
  readonly #facts: PublicFacts;
  constructor(@Inject(FACTS) facts: PublicFacts) {
    this.#facts = facts;
  }

  @EventPattern('signing-keys')
  onKeys(@Payload() batch: LogBatch): void {
    keepFacts(this.#facts, batch);
  }

  @EventPattern('reports')
  onReports(@Payload() batch: LogBatch): void {
    keepFacts(this.#facts, batch);
  }

  @EventPattern('anchors')
  onAnchors(@Payload() batch: LogBatch): void {
    keepFacts(this.#facts, batch);
  }
}

@Module({})
class VerificationModule {}

/** The public routes: verification by anybody, from public facts alone. */
export const definition: ServiceDefinition = {
  name: 'verification',
  routes: Object.values(verificationRoutes),
  reads: ['signing-keys', 'reports', 'anchors'],
  writes: [],
  after: [],
  start(context) {
    const facts = openSqlitePublicFacts(join(context.directory, 'public-facts.db'));
    const verification = new PublicVerification(facts, () => context.chain());
    return Promise.resolve({
      module: moduleOf(verification, facts),
      consumer: { group: 'verification', position: (topic, partition) => facts.position(topic, partition) },
      notReady: () => (facts.keys().length === 0 ? ['no signing key has been published yet'] : []),
      stop: () => {
        facts.close();
        return Promise.resolve();
      },
    });
  },
};

function moduleOf(verification: PublicVerification, facts: PublicFacts): DynamicModule {
  return {
    module: VerificationModule,
    controllers: [PublicController, FactsConsumer],
    providers: [
      { provide: PUBLIC_VERIFICATION, useValue: verification },
      { provide: FACTS, useValue: facts },
    ],
  };
}
