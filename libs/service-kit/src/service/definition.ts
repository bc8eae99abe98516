import type { DynamicModule, Type } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Erasures, EventArchive, Plan, ProofSource, Route, ServiceName, TopicName } from '@countersign/contracts';
import type { Chain } from '@countersign/chain';
import type { Counters } from '@countersign/counters';
import type { EventLog } from '@countersign/event-log';
import type { RawHandler, RouteHandler } from '@countersign/http-edge';
import type { Config } from '@countersign/process';
import type { ProcessView } from '../process/process-view.js';
import type { SigningKeyOperator } from './signing-key-operator.js';

/** The first account with its admin and API key. The caller chooses ids and secrets, so that a repetition has no effect. */
export interface FirstAccount {
  readonly accountId: string;
  readonly accountName: string;
  readonly plan: Plan;
  readonly userId: string;
  readonly email: string;
  readonly password: string;
  readonly apiKeyId: string;
  readonly apiKeyName: string;
  readonly apiKey: string;
}

/** A change of an account's plan; absent members take the plan's defaults. */
export interface PlanChange {
  readonly accountId: string;
  readonly plan: Plan;
  readonly actionCap?: number;
  /** ISO 8601. */
  readonly expiresAt?: string;
}

/** A link for the user with this e-mail address. */
export interface PasswordLinkRequest {
  readonly email: string;
  /** Default: false. */
  readonly resetsSecondFactor?: boolean;
}

/** Provided by identity for the operator of the installation; clients of the API cannot reach it. */
export interface AccountOperator {
  /** Returns true if any account exists. */
  hasAccount(): Promise<boolean>;
  /** Creates account, user and key, each unless its id exists; durable and published once it resolves. */
  createFirst(first: FirstAccount): Promise<void>;
  /** In force on every gateway once it resolves. Counts are kept. */
  setPlan(change: PlanChange): Promise<'set' | 'unknown-account'>;
  /**
   * Makes a link by which this user sets a new password, once, within a day; it replaces the one before. Its use removes the
   * second factor of the user if that is asked for.
   * @returns `null` if no user has the address
   */
  passwordLink(request: PasswordLinkRequest): Promise<{ readonly link: string; readonly expiresAt: string } | null>;
  /**
   * Issues a token that opens one session of this user within 15 minutes, at this instance alone and until it stops.
   * @returns 32 random bytes in base64url; `null` if no user has the address
   */
  signInOnce(email: string): Promise<string | null>;
}

/** Provided by policy for the operator of the installation. */
export interface AgentOperator {
  /** Creates an agent with an empty profile unless its id exists; durable and published once it resolves. */
  createFirst(agent: { readonly agentId: string; readonly accountId: string; readonly name: string }): Promise<void>;
}

/** Interfaces that services offer each other: called in process, or by HTTP with the service credential. */
export interface Peers {
  readonly 'event-archive': EventArchive;
  readonly erasures: Erasures;
  readonly 'proof-source': ProofSource;
  readonly 'account-operator': AccountOperator;
  readonly 'agent-operator': AgentOperator;
  readonly 'signing-key-operator': SigningKeyOperator;
}

/** Opens a service's store, by profile. Each is a dynamic import, so that only the driver in use is loaded. */
export interface StoreAdapters<T> {
  sqlite(): Promise<T> | T;
  /**
   * @param uri connection string of MongoDB; its database belongs to the installation, names of collections begin with the service's name
   * @param suffix ends the names of collections that are built next to those in use; absent: those in use
   */
  mongo(uri: string, suffix?: string): Promise<T>;
}

export interface ServiceContext {
  readonly name: ServiceName;
  readonly config: Config;
  readonly log: Logger;
  readonly eventLog: EventLog;
  readonly counters: Counters;
  /** One registry for each thread; names begin with `countersign_`. */
  readonly metrics: Registry;
  /** Opened at the first call. */
  chain(): Promise<Chain>;
  /** Opens the store of the profile in use; waits for a server that cannot be reached, and reports that in log and readiness. */
  openStore<T>(adapters: StoreAdapters<T>): Promise<T>;
  /** Folder of this service's own files, mode 0700: `<data>/<name>`. */
  readonly directory: string;
  provide<K extends keyof Peers>(name: K, peer: Peers[K]): void;
  /** Resolves when the peer is provided here, or reachable elsewhere. */
  peer<K extends keyof Peers>(name: K): Promise<Peers[K]>;
  /**
   * For a peer that a single request needs and the service does not: the peer that is provided here, else `null`. A peer
   * in another process is returned without waiting; its calls reject with 503 while it cannot be reached.
   */
  peerNow<K extends keyof Peers>(name: K): Peers[K] | null;
  /** No other service runs in this thread. */
  readonly alone: boolean;
  /** Wall clock, ms. Only for schedules and labels; times of events come from `counters.now()`. */
  readonly clock: () => number;
  /** The address of the API for clients: `COUNTERSIGN_PUBLIC_URL`, else the address in use. Known once it listens. */
  publicUrl(): string;
  /** `null` in a thread whose process was not described to it. */
  readonly processView: ProcessView | null;
}

/** Begins and ends sessions of consumption, one after the other. */
export interface ConsumptionSessions {
  /** Rejects as `consume` of the log does. */
  begin(): Promise<void>;
  /** Resolves when the last handler has returned. */
  end(): Promise<void>;
}

export interface ServiceConsumer {
  /** Consumer group; its partitions are divided among the instances of the service. */
  readonly group: string;
  /** `everyone`: each instance consumes all partitions. Default: `shared`. */
  readonly mode?: 'shared' | 'everyone';
  /**
   * For a service of which one instance consumes at a time: it receives the sessions and begins them when it leads. The
   * start waits for its promise. Absent: the consumption lasts as long as the service.
   */
  readonly sessions?: (sessions: ConsumptionSessions) => Promise<void> | void;
  /** The offset after the last handled record, as stored with its effects; `null`: from the beginning. */
  position(topic: TopicName, partition: number): Promise<number | null> | number | null;
}

export interface RunningService {
  /** Controllers with `@HttpRoute` and consumers with `@EventPattern`; hosted as a Nest application of its own. */
  readonly module?: DynamicModule | Type;
  /** Answers the routes of a service without `module`: files and the like, which need no Nest application. */
  readonly handle?: RouteHandler;
  /**
   * Operations that the configuration turns off, by operation id: each request is refused with 404 and this text, and no
   * credential is read for it.
   */
  readonly off?: ReadonlyMap<string, string>;
  /** Called before Express, for the one route that is too fast for it. */
  readonly rawHandler?: RawHandler;
  /** Group and positions of the `@EventPattern` consumers of `module`; needed if it has any. */
  readonly consumer?: ServiceConsumer;
  /** The reasons why it waits or is blocked, as text; empty if it serves. */
  notReady(): readonly string[];
  /** Drains, commits, closes; called once the edge accepts no more requests. */
  stop(): Promise<void>;
}

export interface ServiceDefinition {
  readonly name: ServiceName;
  readonly routes: readonly Route[];
  readonly reads: readonly TopicName[];
  readonly writes: readonly TopicName[];
  /** Services that start before this one, if they run in the same process. */
  readonly after: readonly ServiceName[];
  /** Peers that it calls; if they run in another process, their address must be configured. */
  readonly asks?: readonly (keyof Peers)[];
  /** Opens stores, follows topics, builds the module. Catching up may continue after it resolved; `notReady` reports that. */
  start(context: ServiceContext): Promise<RunningService>;
}
