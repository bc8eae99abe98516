import type { DynamicModule, Type } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Erasures, EventArchive, Plan, ProofSource, Route, ServiceName, TopicName } from '@countersign/contracts';
import type { Chain } from '@countersign/chain';
import type { Counters } from '@countersign/counters';
import type { EventLog } from '@countersign/event-log';
import type { RawHandler } from '@countersign/http-edge';
import type { Config } from '@countersign/process';
import type { SigningKeyOperator } from './signing-key-operator.js';

/** The first account with its admin and its API key; ids and secrets are the caller's, so that a repetition changes nothing. */
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

/** What is not named takes the plan's default. */
export interface PlanChange {
  readonly accountId: string;
  readonly plan: Plan;
  readonly actionCap?: number;
  /** ISO 8601. */
  readonly expiresAt?: string;
}

/** Provided by identity to whoever operates the instance; no caller of the API reaches it. */
export interface AccountOperator {
  /** Whether any account exists. */
  hasAccount(): Promise<boolean>;
  /** Creates each of account, user and key unless its id exists; durable and in the log once it resolves. */
  createFirst(first: FirstAccount): Promise<void>;
  /** In force on every gateway once it resolves. What was counted stays counted. */
  setPlan(change: PlanChange): Promise<'set' | 'unknown-account'>;
}

/** Provided by policy to whoever operates the instance. */
export interface AgentOperator {
  /** Creates an agent with an empty profile unless its id exists; durable and in the log once it resolves. */
  createFirst(agent: { readonly agentId: string; readonly accountId: string; readonly name: string }): Promise<void>;
}

/** What one service offers another: in process in the standalone, HTTP with a service credential otherwise. */
export interface Peers {
  readonly 'event-archive': EventArchive;
  readonly erasures: Erasures;
  readonly 'proof-source': ProofSource;
  readonly 'account-operator': AccountOperator;
  readonly 'agent-operator': AgentOperator;
  readonly 'signing-key-operator': SigningKeyOperator;
}

/** How a service opens its store, by profile. Each is a dynamic import: only the driver in use is loaded. */
export interface StoreAdapters<T> {
  sqlite(): Promise<T> | T;
  /**
   * @param uri connection string of MongoDB; its database is the installation's, collections begin with the service's name
   * @param suffix ends the names of collections that are made beside those in use; absent: those in use
   */
  mongo(uri: string, suffix?: string): Promise<T>;
}

export interface ServiceContext {
  readonly name: ServiceName;
  readonly config: Config;
  readonly log: Logger;
  readonly eventLog: EventLog;
  readonly counters: Counters;
  /** One registry a thread; names begin with `countersign_`. */
  readonly metrics: Registry;
  /** Opened at the first call. */
  chain(): Promise<Chain>;
  /** Opens the store of the profile in use; waits for a server that cannot be reached, saying so in the log and in readiness. */
  openStore<T>(adapters: StoreAdapters<T>): Promise<T>;
  /** Folder of this service's own files, mode 0700: `<data>/<name>`. */
  readonly directory: string;
  provide<K extends keyof Peers>(name: K, peer: Peers[K]): void;
  /** Resolves when the peer is provided or reachable. */
  peer<K extends keyof Peers>(name: K): Promise<Peers[K]>;
  /**
   * For a peer that a single request needs and the service does not: what is provided here by now, else `null`; of
   * another process at once, and its calls reject with 503 while it cannot be reached.
   */
  peerNow<K extends keyof Peers>(name: K): Peers[K] | null;
  /** No other service runs in this thread. */
  readonly alone: boolean;
  /** Wall clock, ms. Only for schedules and labels; what an event says comes from `counters.now()`. */
  readonly clock: () => number;
  /** Where callers reach the API: `COUNTERSIGN_PUBLIC_URL`, else the address in use. Known once listening. */
  publicUrl(): string;
}

/** Begins and ends a consumption, any number of times in turn. */
export interface ConsumptionTurns {
  /** @throws what `consume` of the log rejects with */
  begin(): Promise<void>;
  /** Resolves when the last handler has returned. */
  end(): Promise<void>;
}

export interface ServiceConsumer {
  /** Consumer group, divided among the instances of the service. */
  readonly group: string;
  /** `everyone`: an instance that consumes takes all partitions. `shared` unless given. */
  readonly mode?: 'shared' | 'everyone';
  /**
   * For a service of which one instance consumes: it keeps the turns and says when. Its promise belongs to the start.
   * Without it the consumption lasts as long as the service.
   */
  readonly turns?: (turns: ConsumptionTurns) => Promise<void> | void;
  /** Offset after the last record handled, as saved with its effects; `null`: from the beginning. */
  position(topic: TopicName, partition: number): Promise<number | null> | number | null;
}

export interface RunningService {
  /** Controllers with `@HttpRoute`, and consumers with `@EventPattern`; the kit hosts it as a Nest application of its own. */
  readonly module?: DynamicModule | Type;
  /** Tried before Express, for the one route that cannot afford it. */
  readonly rawHandler?: RawHandler;
  /** Where the `@EventPattern` consumers of `module` stand; needed when it has any. */
  readonly consumer?: ServiceConsumer;
  /** What it waits for or why it stands still, in plain words; empty when it serves. */
  notReady(): readonly string[];
  /** Called after the edge has stopped taking requests: drain, commit, close. */
  stop(): Promise<void>;
}

export interface ServiceDefinition {
  readonly name: ServiceName;
  readonly routes: readonly Route[];
  readonly reads: readonly TopicName[];
  readonly writes: readonly TopicName[];
  /** Services that must have started before (in one process), or be waited for. */
  readonly after: readonly ServiceName[];
  /** Peers that it asks: where they run in another process, their address must be known. */
  readonly asks?: readonly (keyof Peers)[];
  /** Opens stores, follows topics, builds the module. Long catching-up goes on after it returned: `notReady` tells. */
  start(context: ServiceContext): Promise<RunningService>;
}
