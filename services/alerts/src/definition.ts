import { join } from 'node:path';
import type { DynamicModule } from '@nestjs/common';
import { alertsRoutes } from '@countersign/contracts';
import { deriveSecret } from '@countersign/process';
import type { RunningService, ServiceContext, ServiceDefinition } from '@countersign/service-kit';
import { carrierOf } from './deliver/carrier.js';
import { Dispatcher } from './deliver/dispatcher.js';
import { openMailer } from '@countersign/service-kit/mail';
import { resolveAll } from './deliver/send-webhook.js';
import { Destinations } from './destinations.js';
import { ViolationConsumer } from './follow/violation-consumer.js';
import { GROUP, ViolationFollower } from './follow/violation-follower.js';
import { AlertConfigsController } from './http/alert-configs-controller.js';
import { openMongoAlertStore, openSqliteAlertStore } from './store/open.js';
import type { AlertStore } from './store/port.js';
import { DESTINATIONS, FOLLOWER } from './tokens.js';

/** Deadline for a receiver to accept a message. */
const WEBHOOK_TIMEOUT_MS = 10_000;

/** Notifies the destinations of an account of violations, by webhook and by e-mail. */
export const definition: ServiceDefinition = {
  name: 'alerts',
  routes: Object.values(alertsRoutes),
  reads: ['agent-events'],
  writes: ['dead-letters'],
  after: [],
  start,
};

class AlertsModule {}

async function start(context: ServiceContext): Promise<RunningService> {
  const { config, clock } = context;
  const key = await deriveSecret(config, 'alert secrets');
  const store = await context.openStore<AlertStore>({
    sqlite: () => openSqliteAlertStore(join(context.directory, 'alerts.db')),
    mongo: openMongoAlertStore,
  });
  const allowedHosts = config.webhookAllowedHosts;
  const mailer = config.smtpUrl === null ? null : openMailer(config.smtpUrl, config.smtpFrom);
  const network = { allowedHosts, resolve: resolveAll, timeoutMs: WEBHOOK_TIMEOUT_MS };
  const carrier = carrierOf(key, network, mailer, clock);
  const dispatcher = new Dispatcher(context, store, carrier);
  const destinations = new Destinations(store, carrier, { key, allowedHosts, canMail: mailer !== null, clock });
  const follower = new ViolationFollower(context, store, config.alertWindowSeconds * 1000, () => dispatcher.wake());
  dispatcher.start();
  const module: DynamicModule = {
    module: AlertsModule,
    controllers: [AlertConfigsController, ViolationConsumer],
    providers: [
      { provide: DESTINATIONS, useValue: destinations },
      { provide: FOLLOWER, useValue: follower },
    ],
  };
  return {
    module,
    consumer: { group: GROUP, position: (_topic, partition) => follower.position(partition) },
    notReady: () => [dispatcher.problem()].filter((problem) => problem !== null),
    async stop() {
      await dispatcher.stop();
      mailer?.close();
      await store.close();
    },
  };
}
