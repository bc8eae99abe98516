import { join } from 'node:path';
import type { DynamicModule } from '@nestjs/common';
import { identityRoutes, secondFactorRoutes, singleSignOnRoutes, trustedIssuerRoutes } from '@countersign/contracts';
import type { Route, TopicName } from '@countersign/contracts';
import type { VersionedKind } from '@countersign/counters';
import { deriveSecret, sealingKeys } from '@countersign/process';
import { resolveAll, sessionTokens } from '@countersign/service-kit';
import { Announcer, OutboxRelay, republish, TopicAhead, TopicTail } from '@countersign/topics';
import type { Mailer } from '@countersign/service-kit/mail';
import type { RunningService, ServiceContext, ServiceDefinition } from '@countersign/service-kit';
import type { Owned } from '@countersign/topics';
import { KeyUseConsumer } from './follow-key-use/key-use-consumer.js';
import { GROUP, KeyUseFollower } from './follow-key-use/key-use-follower.js';
import { AccountController } from './http/account-controller.js';
import { ApiKeysController } from './http/api-keys-controller.js';
import { AuthController } from './http/auth-controller.js';
import { PasswordLinksController } from './http/password-links-controller.js';
import { SecondFactorController } from './http/second-factor-controller.js';
import { SessionController } from './http/session-controller.js';
import { SingleSignOnController } from './http/single-sign-on-controller.js';
import { SessionsController } from './http/sessions-controller.js';
import { TrustedIssuersController } from './http/trusted-issuers-controller.js';
import { UsersController } from './http/users-controller.js';
import {
  API_KEYS,
  DEFAULT_PROFILES,
  FINISH_SIGN_IN,
  IDENTITY_STORE,
  KEY_USE_FOLLOWER,
  OPEN_SESSIONS,
  PASSWORD_LINKS,
  SECOND_FACTORS,
  SERVICE_CONTEXT,
  SIGN_IN,
  SINGLE_SIGN_ON,
  TRUSTED_ISSUERS,
  USERS,
} from './http/tokens.js';
import { ApiKeys } from './issue-api-keys/api-keys.js';
import { markFirstKeys } from './issue-api-keys/first-keys.js';
import { Users } from './manage-users/users.js';
import { TrustedIssuers } from './operate/trusted-issuers.js';
import { DefaultProfiles } from './operate/default-profile.js';
import { accountOperator } from './operate/account-operator.js';
import { Publication } from './publication.js';
import { Codes } from './second-factor/codes.js';
import { FinishSignIn } from './second-factor/finish-sign-in.js';
import { SecondFactors } from './second-factor/second-factors.js';
import { resealFactors } from './second-factor/reseal-factors.js';
import { SignInSteps } from './second-factor/sign-in-steps.js';
import { Trail } from './trail/trail.js';
import { AttemptQueue } from './sign-in/attempt-queue.js';
import { Confirmations } from './sign-in/confirmation.js';
import { FailedSignIns } from './sign-in/failed-sign-ins.js';
import { OneTimeLinks } from './sign-in/one-time-links.js';
import { PasswordLinks } from './sign-in/password-links.js';
import { Passwords } from './sign-in/passwords.js';
import { OpenSessions } from './sign-in/open-sessions.js';
import { SessionSweep } from './sign-in/session-sweep.js';
import { SignIn } from './sign-in/sign-in.js';
import { refusalCounter } from './single-sign-on/refusal-counter.js';
import type { SingleSignOn } from './single-sign-on/single-sign-on.js';
import { openMongoIdentityStore, openSqliteIdentityStore } from './store/open.js';
import type { IdentityStore } from './store/port.js';

/** Accounts, users, plans, API keys and sessions. */
export const definition: ServiceDefinition = {
  name: 'identity',
  routes: [identityRoutes, secondFactorRoutes, singleSignOnRoutes, trustedIssuerRoutes].flatMap((routes) =>
    Object.values<Route>(routes),
  ),
  reads: ['agent-events', 'accounts', 'api-keys', 'sessions'],
  writes: ['accounts', 'api-keys', 'sessions', 'agent-events', 'dead-letters'],
  after: [],
  start,
};

/** For each request to the provider of single sign-on. */
const PROVIDER_TIMEOUT_MS = 5000;

class IdentityModule {}

async function start(context: ServiceContext): Promise<RunningService> {
  const file = join(context.directory, 'identity.sqlite');
  const store = await context.openStore<IdentityStore>({
    sqlite: () => openSqliteIdentityStore(file),
    mongo: openMongoIdentityStore,
  });
  const announcer = new Announcer(context, new OutboxRelay(context, store.outbox), store.announcements);
  await announcer.start();
  const publication = new Publication(context, store, announcer, new Trail(context, store));
  const mailer = await openMail(context);
  const confirmations = await openConfirmations(context, mailer);
  const links = new OneTimeLinks(context.clock);
  const tokens = await sessionTokens(context);
  const queue = new AttemptQueue();
  const { present: factorKey, previous: previousFactorKey } = await sealingKeys(context.config, 'second factors');
  const passwords = new Passwords();
  const steps = new SignInSteps(factorKey, context.clock);
  const codes = new Codes(factorKey, context.clock);
  const failures = new FailedSignIns(context, store, publication);
  const signIn = new SignIn(
    ...([context, store, publication, tokens, passwords, confirmations, links, queue, steps, failures] as const),
  );
  const factors = new SecondFactors(context, store, publication, passwords, queue, codes, failures);
  const passwordLinks = new PasswordLinks(context, store, publication, queue, mailer);
  const sweep = new SessionSweep(context, store, publication);
  const follower = new KeyUseFollower(context, store);
  sweep.start();
  context.provide('account-operator', accountOperator(context, store, publication, links, passwordLinks));

  let comparing: string | null = 'the topics of accounts are being compared with the store';
  const compared = compare(context, store)
    .then(() => markFirstKeys(store))
    .then(() => resealFactors(store, codes, previousFactorKey, context.log))
    // The announcer retries by itself, and reports failures as readiness.
    .then(() => announcer.announce().catch(() => undefined))
    .then(
      () => (comparing = null),
      (error: unknown) => {
        comparing =
          error instanceof TopicAhead
            ? error.message
            : 'the store could not be compared with its topics, or second factors not sealed again: see the log';
        context.log.error({ err: error }, 'accounts cannot be served');
      },
    );

  const tails = await followTails(context, store);

  const module: DynamicModule = {
    module: IdentityModule,
    controllers: [
      AuthController,
      SessionController,
      SessionsController,
      PasswordLinksController,
      SecondFactorController,
      UsersController,
      ApiKeysController,
      AccountController,
      SingleSignOnController,
      TrustedIssuersController,
      KeyUseConsumer,
    ],
    providers: [
      { provide: SIGN_IN, useValue: signIn },
      { provide: PASSWORD_LINKS, useValue: passwordLinks },
      { provide: SECOND_FACTORS, useValue: factors },
      {
        provide: FINISH_SIGN_IN,
        useValue: new FinishSignIn(context, store, publication, signIn, steps, codes, failures),
      },
      { provide: OPEN_SESSIONS, useValue: new OpenSessions(context, store, signIn) },
      { provide: USERS, useValue: new Users(context, store, publication) },
      { provide: API_KEYS, useValue: new ApiKeys(context, store, publication) },
      { provide: DEFAULT_PROFILES, useValue: new DefaultProfiles(store, publication) },
      { provide: SINGLE_SIGN_ON, useValue: await openSingleSignOn(context, store, publication, signIn, queue) },
      { provide: TRUSTED_ISSUERS, useValue: new TrustedIssuers(context, store, publication) },
      { provide: IDENTITY_STORE, useValue: store },
      { provide: KEY_USE_FOLLOWER, useValue: follower },
      { provide: SERVICE_CONTEXT, useValue: context },
    ],
  };
  return {
    module,
    consumer: { group: GROUP, position: (topic, partition) => follower.position(topic, partition) },
    notReady: () => [announcer.problem(), comparing].filter((problem) => problem !== null),
    async stop() {
      await compared;
      await sweep.stop();
      await failures.stop();
      await Promise.all(tails.map((tail) => tail.stop()));
      await announcer.stop();
      await passwordLinks.settled();
      mailer?.close();
      await store.close();
    },
  };
}

async function openMail({ config }: ServiceContext): Promise<Mailer | null> {
  if (config.smtpUrl === null) return null;
  const { openMailer } = await import('@countersign/service-kit/mail');
  return openMailer(config.smtpUrl, config.smtpFrom);
}

async function openConfirmations(context: ServiceContext, mailer: Mailer | null): Promise<Confirmations | null> {
  if (mailer === null || !context.config.openRegistration) return null;
  const key = await deriveSecret(context.config, 'registrations');
  return new Confirmations(mailer, key, () => context.publicUrl(), context.clock);
}

/** `null`: no provider is set up, and nothing of it is loaded but its counter, at 0. */
async function openSingleSignOn(
  context: ServiceContext,
  store: IdentityStore,
  publication: Publication,
  signIn: SignIn,
  queue: AttemptQueue,
): Promise<SingleSignOn | null> {
  const { config, clock, metrics } = context;
  const refusals = refusalCounter(metrics);
  const { singleSignOn, webhookAllowedHosts: allowedHosts } = config;
  if (singleSignOn === null) return null;
  const [{ SingleSignOn }, { SignInFlows }, { Provider }] = await Promise.all([
    import('./single-sign-on/single-sign-on.js'),
    import('./single-sign-on/sign-in-flow.js'),
    import('./single-sign-on/provider.js'),
  ]);
  const flows = new SignInFlows(await deriveSecret(config, 'single sign-on'), clock);
  const network = { allowedHosts, resolve: resolveAll, timeoutMs: PROVIDER_TIMEOUT_MS };
  const provider = new Provider(singleSignOn, network, clock);
  return new SingleSignOn(context, singleSignOn, store, publication, signIn, queue, flows, provider, refusals);
}

/** Publishes records that a topic lost; a topic that is ahead of the store keeps the service from being ready. */
async function compare(context: ServiceContext, store: IdentityStore): Promise<void> {
  const topics: readonly [TopicName, VersionedKind, AsyncIterable<Owned>, (id: string) => boolean][] = [
    ['accounts', 'account', owned(store.allAccounts()), () => false],
    ['api-keys', 'api-key', owned(store.allApiKeys()), () => false],
    // Expired sessions are removed from the store while the topic is read.
    ['sessions', 'session', owned(store.allSessions()), () => true],
  ];
  for (const [topic, kind, things, expires] of topics) {
    const again = await republish(context, topic, things, expires);
    for (const { id, version } of again) await context.counters.raise(kind, id, version);
  }
}

/** Follows the topics to repair their order; not needed if a single process writes them. */
async function followTails(context: ServiceContext, store: IdentityStore): Promise<readonly TopicTail[]> {
  if (context.config.profile === 'embedded') return [];
  return Promise.all([
    TopicTail.follow(context, 'accounts', async (id) => ownedOf(await store.account(id))),
    TopicTail.follow(context, 'api-keys', async (id) => ownedOf(await store.apiKey(id))),
    TopicTail.follow(context, 'sessions', async (id) => ownedOf(await store.session(id))),
  ]);
}

interface Versioned {
  readonly id: string;
  readonly version: number;
  readonly facts: object;
}

async function* owned(things: AsyncIterable<Versioned>): AsyncGenerator<Owned> {
  for await (const { id, version, facts } of things) yield { id, version, value: facts };
}

function ownedOf(thing: Versioned | null): Owned | null {
  return thing === null ? null : { id: thing.id, version: thing.version, value: thing.facts };
}
