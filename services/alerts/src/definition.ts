import { join } from 'node:path';
import type { DynamicModule } from '@nestjs/common';
import { alertsRoutes, streamRoutes, type AccountFacts } from '@countersign/contracts';
import { sealingKeys } from '@countersign/process';
import { OutboxRelay, Projection } from '@countersign/topics';
import { actRecorder, resolveAll } from '@countersign/service-kit';
import type { RunningService, ServiceContext, ServiceDefinition } from '@countersign/service-kit';
import { carrierOf } from './deliver/carrier.js';
import { Dispatcher } from './deliver/dispatcher.js';
import { openMailer } from '@countersign/service-kit/mail';
import { Destinations } from './destinations.js';
import { ViolationConsumer } from './follow/violation-consumer.js';
import { GROUP, ViolationFollower } from './follow/violation-follower.js';
import { AlertConfigsController } from './http/alert-configs-controller.js';
import { resealStore } from './secrets/reseal.js';
import { openMongoAlertStore, openSqliteAlertStore } from './store/open.js';
import type { AlertStore } from './store/port.js';
import { StreamsController } from './http/streams-controller.js';
import { AgentHeads } from './streams/agent-heads.js';
import { batchSender } from './streams/send-batch.js';
import { StreamDispatcher } from './streams/stream-dispatcher.js';
import { Streams } from './streams/streams.js';
import { DESTINATIONS, FOLLOWER, STREAMS } from './tokens.js';

/** Deadline for a receiver to accept a message. */
const WEBHOOK_TIMEOUT_MS = 10_000;
/** The same for a batch of a stream. */
const BATCH_TIMEOUT_MS = 20_000;

/** Notifies the destinations of an account of violations, and sends its events to the receivers of its streams. */
export const definition: ServiceDefinition = {
  name: 'alerts',
  routes: [...Object.values(alertsRoutes), ...Object.values(streamRoutes)],
  reads: ['agent-events', 'accounts', 'agents', 'agent-heads'],
  writes: ['agent-events', 'dead-letters'],
  after: [],
  asks: ['event-archive'],
  start,
};

class AlertsModule {}

async function start(context: ServiceContext): Promise<RunningService> {
  const { config, clock } = context;
  const sealed = {
    destinations: await sealingKeys(config, 'alert secrets'),
    streams: await sealingKeys(config, 'stream credentials'),
  };
  const key = sealed.destinations.present;
  const store = await context.openStore<AlertStore>({
    sqlite: () => openSqliteAlertStore(join(context.directory, 'alerts.db')),
    mongo: openMongoAlertStore,
  });
  await resealStore(store, sealed, context.log);
  const allowedHosts = config.webhookAllowedHosts;
  const mailer = config.smtpUrl === null ? null : openMailer(config.smtpUrl, config.smtpFrom);
  const network = { allowedHosts, resolve: resolveAll, timeoutMs: WEBHOOK_TIMEOUT_MS };
  const carrier = carrierOf(key, network, mailer, clock);
  const dispatcher = new Dispatcher(context, store, carrier);
  const relay = new OutboxRelay(context, store);
  await relay.start();
  const accounts = await Projection.follow<AccountFacts>(context, 'accounts');
  const people = {
    recorded: actRecorder(context, accounts),
    publish: () => void relay.flush().catch(() => undefined),
  };
  const canMail = mailer !== null;
  const destinations = new Destinations(store, carrier, { key, allowedHosts, canMail, clock, ...people });
  const follower = new ViolationFollower(context, store, config.alertWindowSeconds * 1000, () => dispatcher.wake());
  dispatcher.start();
  const streamKey = sealed.streams.present;
  // An IPv6 address is without brackets in a header of syslog: RFC 5424, section 6.2.4.
  const originHost = config.publicUrl === null ? null : new URL(config.publicUrl).hostname.replace(/^\[(.*)\]$/, '$1');
  const send = batchSender(streamKey, { ...network, timeoutMs: BATCH_TIMEOUT_MS }, { originHost, clock });
  const heads = await AgentHeads.follow(context);
  const streamDispatcher = new StreamDispatcher(
    context,
    store.streams,
    heads,
    () => context.peerNow('event-archive'),
    send,
  );
  const rules = { key: streamKey, allowedHosts, clock, log: context.log, ...people };
  const streams = new Streams(store.streams, streamDispatcher, send, rules);
  streamDispatcher.start();
  const module: DynamicModule = {
    module: AlertsModule,
    controllers: [AlertConfigsController, StreamsController, ViolationConsumer],
    providers: [
      { provide: DESTINATIONS, useValue: destinations },
      { provide: STREAMS, useValue: streams },
      { provide: FOLLOWER, useValue: follower },
    ],
  };
  return {
    module,
    consumer: { group: GROUP, position: (_topic, partition) => follower.position(partition) },
    notReady: () =>
      [dispatcher.problem(), streamDispatcher.problem(), accounts.problem(), relay.problem()].filter(
        (problem) => problem !== null,
      ),
    async stop() {
      await streamDispatcher.stop();
      await heads.stop();
      await accounts.stop();
      await dispatcher.stop();
      mailer?.close();
      await relay.stop();
      await store.close();
    },
  };
}
