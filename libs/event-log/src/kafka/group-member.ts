import { setTimeout as delay } from 'node:timers/promises';
import type { BrokerAccess } from './access.js';
import type { ClusterView } from './cluster-view.js';
import { findCoordinator } from './coordinator.js';
import { Link } from './link.js';
import { dealOut, readAssignment, readSubscription, writeAssignment, writeSubscription } from './assignment.js';
import type { Assignment } from './assignment.js';

const SESSION_MS = 10_000;
/** Time that a rebalance waits for the handlers of a member, ms. */
const REBALANCE_MS = 60_000;
const HEARTBEAT_MS = 500;
const ASK_MS = 5000;
const AGAIN_AFTER_MS = 250;
/** Maximum time without an answer of the group's coordinator, ms. */
const SILENT_MS = 10_000;
const PROTOCOL = 'countersign';

/** Codes of the Kafka protocol. */
const COORDINATOR_LOADS = 14;
const COORDINATOR_MOVED = 16;
const UNKNOWN_MEMBER = 25;
const REBALANCE = 27;
const MEMBER_ID_REQUIRED = 79;

interface JoinAnswer {
  readonly errorCode: number;
  readonly generationId: number;
  readonly leaderId: string;
  readonly memberId: string;
  readonly members: readonly { memberId: string; memberMetadata: Buffer }[];
}

interface CommitTopic {
  readonly topic: string;
  readonly partitions: readonly { partition: number; offset: string }[];
}

export interface MemberOptions {
  readonly groupId: string;
  readonly access: BrokerAccess;
  /** Names at the brokers. */
  readonly topics: readonly string[];
  /** Takes an assignment; a later call of `revoked` ends it. */
  assigned(assignment: Assignment): void;
  /** Resolves when no handler of this member is running. */
  revoked(): Promise<void>;
  /** The offsets after the last ones handled: committed for tools that show lag, never read back. */
  handled(): readonly CommitTopic[];
}

class Refused extends Error {
  readonly code: number;
  constructor(what: string, code: number) {
    super(`the group's coordinator answered ${what} with error ${code}`);
    this.code = code;
  }
}

/**
 * A member of a consumer group: joins, keeps its membership by heartbeats, and releases its partitions before it
 * rejoins.
 */
export class GroupMember {
  readonly #cluster: ClusterView;
  readonly #options: MemberOptions;
  readonly #abort = new AbortController();
  #link: Link | null = null;
  #memberId = '';
  #generation = -1;
  #heardMs = performance.now();
  #problem: string | null = null;
  #committed = '';
  #joining = false;
  readonly #running: Promise<void>;

  constructor(cluster: ClusterView, options: MemberOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.#running = this.#run();
  }

  /** Why the group does not answer, or `null`. */
  stalled(): string | null {
    const silentMs = performance.now() - this.#heardMs;
    if (silentMs < SILENT_MS + (this.#joining ? REBALANCE_MS : 0)) return null;
    const seconds = Math.round(silentMs / 1000);
    return `group ${this.#options.groupId}: no answer for ${seconds} s${this.#problem === null ? '' : `: ${this.#problem}`}`;
  }

  /** Leaves the group once the running handlers have returned. */
  async stop(): Promise<void> {
    this.#abort.abort();
    // A join may take as long as a rebalance: it is not awaited.
    if (this.#joining) this.#link?.reset('stopped');
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      try {
        this.#joining = true;
        const assignment = await this.#join();
        this.#joining = false;
        if (!signal.aborted) this.#options.assigned(assignment);
        await this.#keep();
      } catch (error) {
        this.#joining = false;
        this.#problem = (error as Error).message;
        await this.#recover(error);
      }
      const beating = new AbortController();
      const beats = this.#beatWhile(beating.signal);
      await this.#options.revoked();
      beating.abort();
      await beats;
    }
    await this.#leave();
    this.#link?.close();
  }

  async #ask<T>(name: string, options: object, timeoutMs = ASK_MS): Promise<T> {
    const link = (this.#link ??= await this.#findCoordinator());
    // Stopped while the coordinator was looked up: a join sent now would be awaited.
    if (this.#joining) this.#abort.signal.throwIfAborted();
    const answer = await link.ask<T>(name, { groupId: this.#options.groupId, ...options }, timeoutMs);
    this.#heardMs = performance.now();
    return answer;
  }

  async #findCoordinator(): Promise<Link> {
    const { errorCode, address } = await findCoordinator(this.#cluster, this.#options.groupId);
    if (errorCode !== 0) throw new Refused('who it is', errorCode);
    return new Link(address, this.#options.access);
  }

  async #join(): Promise<Assignment> {
    const metadata = writeSubscription(this.#options.topics);
    const options = {
      sessionTimeout: SESSION_MS,
      rebalanceTimeout: REBALANCE_MS,
      protocolType: 'consumer',
      groupProtocols: [{ name: PROTOCOL, metadata }],
    };
    const join = () =>
      this.#ask<JoinAnswer>('JoinGroup', { ...options, memberId: this.#memberId }, REBALANCE_MS + ASK_MS);
    let joined = await join();
    if (joined.errorCode === MEMBER_ID_REQUIRED) {
      this.#memberId = joined.memberId;
      joined = await join();
    }
    if (joined.errorCode !== 0) throw new Refused('the join', joined.errorCode);
    this.#memberId = joined.memberId;
    this.#generation = joined.generationId;
    const synced = await this.#ask<{ errorCode: number; memberAssignment: Buffer }>(
      'SyncGroup',
      {
        generationId: this.#generation,
        memberId: this.#memberId,
        groupAssignment: joined.leaderId === joined.memberId ? this.#deal(joined) : [],
      },
      REBALANCE_MS + ASK_MS,
    );
    if (synced.errorCode !== 0) throw new Refused('the sync', synced.errorCode);
    return readAssignment(synced.memberAssignment);
  }

  #deal({ members }: JoinAnswer): { memberId: string; memberAssignment: Buffer }[] {
    const subscriptions = new Map(members.map((member) => [member.memberId, readSubscription(member.memberMetadata)]));
    const dealt = dealOut(subscriptions, (topic) => this.#cluster.topic(topic)?.leaders.length ?? 0);
    return [...dealt].map(([memberId, assignment]) => ({ memberId, memberAssignment: writeAssignment(assignment) }));
  }

  /** Sends heartbeats until the group rebalances; rejects when the membership is lost. */
  async #keep(): Promise<void> {
    for (let beat = 1; ; beat++) {
      await delay(HEARTBEAT_MS, undefined, { signal: this.#abort.signal }).catch(() => undefined);
      if (this.#abort.signal.aborted) return this.#commit().catch(() => undefined);
      if (beat % 4 === 0) await this.#commit();
      if ((await this.#beat()) === REBALANCE) return;
    }
  }

  async #beat(): Promise<number> {
    const { errorCode } = await this.#ask<{ errorCode: number }>('Heartbeat', this.#membership());
    if (errorCode !== 0 && errorCode !== REBALANCE) throw new Refused('a heartbeat', errorCode);
    return errorCode;
  }

  /** While handlers finish, the group must not consider this member dead. */
  async #beatWhile(signal: AbortSignal): Promise<void> {
    for (;;) {
      await delay(HEARTBEAT_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      if (this.#generation >= 0) await this.#beat().catch(() => undefined);
    }
  }

  #membership() {
    return { groupGenerationId: this.#generation, memberId: this.#memberId };
  }

  async #commit(): Promise<void> {
    const topics = this.#options.handled();
    const text = JSON.stringify(topics);
    if (topics.length === 0 || text === this.#committed || this.#generation < 0) return;
    await this.#ask('OffsetCommit', { ...this.#membership(), retentionTime: -1, topics });
    this.#committed = text;
  }

  async #recover(error: unknown): Promise<void> {
    const code = error instanceof Refused ? error.code : null;
    this.#generation = -1;
    if (code === REBALANCE) return;
    if (code === UNKNOWN_MEMBER) this.#memberId = '';
    if (this.#abort.signal.aborted) return;
    if (code === null || (code >= COORDINATOR_LOADS && code <= COORDINATOR_MOVED)) {
      this.#link?.close();
      this.#link = null;
    }
    await delay(AGAIN_AFTER_MS, undefined, { signal: this.#abort.signal }).catch(() => undefined);
  }

  async #leave(): Promise<void> {
    if (this.#memberId === '' || this.#link === null) return;
    await this.#commit().catch(() => undefined);
    const members = [{ memberId: this.#memberId }];
    await this.#ask('LeaveGroup', { members, memberId: this.#memberId }).catch(() => undefined);
  }
}
