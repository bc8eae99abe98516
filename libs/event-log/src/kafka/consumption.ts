import { setTimeout as delay } from 'node:timers/promises';
import { TOPICS } from '@countersign/contracts';
import type { TopicName } from '@countersign/contracts';
import type { Consumption, ConsumeOptions } from '../port.js';
import type { Assignment } from './assignment.js';
import type { BrokerAccess } from './access.js';
import type { ClusterView } from './cluster-view.js';
import type { EdgeFinder } from './edges.js';
import { Fetcher } from './fetcher.js';
import { GroupMember } from './group-member.js';
import { AssignedPartition, missing } from './assigned-partition.js';
import type { PartitionLocks } from './partition-locks.js';
import type { ReadLane } from './read-lane.js';
import type { TopicPartition } from './read-records.js';

const AGAIN_AFTER_MS = 500;

export interface Surroundings {
  readonly cluster: ClusterView;
  readonly edges: EdgeFinder;
  readonly locks: PartitionLocks;
  readonly access: BrokerAccess;
  readonly prefix: string;
}

/** Delivers the batches of this member's partitions to the handler. */
export class KafkaConsumption implements Consumption {
  readonly #options: ConsumeOptions;
  readonly #around: Surroundings;
  readonly #fetcher: Fetcher;
  readonly #stop = new AbortController();
  #partitions: readonly AssignedPartition[] = [];
  #member: GroupMember | null = null;
  #assigned!: Promise<void>;
  #assign: () => void = () => undefined;
  #stopping: Promise<void> | null = null;

  private constructor(options: ConsumeOptions, around: Surroundings) {
    this.#options = options;
    this.#around = around;
    this.#fetcher = new Fetcher(around.cluster, around.access, options.paceMs ?? 0, (lane) => {
      void this.#outOfRange(lane);
    });
    this.#expectAssignment();
  }

  /** Resolves when the first partitions and their positions are known; rejects when a position cannot be determined. */
  static async start(options: ConsumeOptions, around: Surroundings): Promise<KafkaConsumption> {
    const consumption = new KafkaConsumption(options, around);
    try {
      await consumption.#begin();
    } catch (error) {
      await consumption.stop();
      throw error;
    }
    return consumption;
  }

  lag(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      this.#partitions.map((one) => [`${one.source.topic}/${one.source.partition}`, one.lag()]),
    );
  }

  stalled(): string | null {
    for (const one of this.#partitions) {
      const problem = one.stalled();
      if (problem !== null) return problem;
    }
    return this.#member?.stalled() ?? null;
  }

  async caughtUp(): Promise<void> {
    const ends = new Map<TopicName, Readonly<Record<number, number>>>();
    for (;;) {
      this.#refuseWhenStopped();
      try {
        const missing = this.#options.topics.filter((topic) => !ends.has(topic));
        await Promise.all(
          missing.map(async (topic) => {
            ends.set(topic, (await this.#around.edges.of(this.#around.prefix + topic)).end);
          }),
        );
        break;
      } catch {
        await this.#pause(AGAIN_AFTER_MS);
      }
    }
    for (;;) {
      await this.#assigned;
      const reached = await Promise.all(
        this.#partitions.map((one) => one.reached(ends.get(one.source.topic)?.[one.source.partition] ?? 0)),
      );
      this.#refuseWhenStopped();
      if (reached.every(Boolean)) return;
      await this.#pause(1);
    }
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#end();
    return this.#stopping;
  }

  async #end(): Promise<void> {
    this.#stop.abort();
    await this.#member?.stop();
    await this.#revoke();
    this.#assign();
    this.#fetcher.close();
  }

  async #begin(): Promise<void> {
    const { prefix, cluster, access } = this.#around;
    if (this.#options.mode === 'everyone') {
      const partitions = this.#options.topics.flatMap((topic) =>
        Array.from({ length: TOPICS[topic].partitions }, (_, partition) => ({
          topic,
          name: prefix + topic,
          partition,
        })),
      );
      this.#take(partitions);
    } else {
      this.#member = new GroupMember(cluster, {
        groupId: prefix + this.#options.group,
        access,
        topics: this.#options.topics.map((topic) => prefix + topic),
        assigned: (assignment) => this.#take(this.#partitionsOf(assignment)),
        revoked: () => this.#revoke(),
        handled: () => this.#handled(),
      });
    }
    for (;;) {
      await this.#assigned;
      const held = this.#partitions;
      await Promise.all(held.map((one) => one.started));
      // Partitions that are assigned meanwhile have to start as well.
      if (held === this.#partitions) return;
    }
  }

  #take(partitions: readonly TopicPartition[]): void {
    const { edges, locks, prefix } = this.#around;
    const { mode, group } = this.#options;
    const parts = {
      options: this.#options,
      edges,
      fetcher: this.#fetcher,
      lock: async ({ name, partition }: TopicPartition) =>
        mode === 'shared' ? locks.take(`${prefix}${group} ${name}/${partition}`) : () => undefined,
    };
    this.#fetcher.expect(partitions.length);
    this.#partitions = partitions.map((source) => new AssignedPartition(source, parts));
    this.#assign();
  }

  async #revoke(): Promise<void> {
    const held = this.#partitions;
    if (this.#member !== null && !this.#stop.signal.aborted) this.#expectAssignment();
    await Promise.all(held.map((one) => one.stop()));
    if (this.#partitions === held) this.#partitions = [];
  }

  #expectAssignment(): void {
    const before = this.#assign;
    this.#assigned = new Promise((resolve) => (this.#assign = resolve));
    void this.#assigned.then(before);
  }

  #partitionsOf(assignment: Assignment): TopicPartition[] {
    return this.#options.topics.flatMap((topic) => {
      const name = this.#around.prefix + topic;
      return (assignment.get(name) ?? []).map((partition) => ({ topic, name, partition }));
    });
  }

  #handled() {
    const topics = new Map<string, { partition: number; offset: string }[]>();
    for (const one of this.#partitions) {
      const { name, partition } = one.source;
      const offset = one.handled();
      if (offset !== null) topics.set(name, [...(topics.get(name) ?? []), { partition, offset: String(offset) }]);
    }
    return [...topics].map(([topic, partitions]) => ({ topic, partitions }));
  }

  /** The broker does not have the next offset: nothing is skipped, the partition stalls and reports it. */
  async #outOfRange(lane: ReadLane): Promise<void> {
    const { name, partition } = lane.source;
    try {
      const { begin, end } = await this.#around.edges.of(name);
      const problem = missing(lane.source, lane.fetched, begin[partition] ?? 0, end[partition] ?? 0);
      lane.fail(problem ?? `${name}/${partition}: offset ${lane.fetched} is out of range`);
    } catch (error) {
      lane.fail((error as Error).message);
    }
    await this.#pause(AGAIN_AFTER_MS);
    if (!lane.stopped && !this.#stop.signal.aborted) this.#fetcher.add(lane);
  }

  #refuseWhenStopped(): void {
    if (!this.#stop.signal.aborted) return;
    throw new Error(`consumption of ${this.#options.topics.join(', ')} was stopped before it caught up`);
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}
