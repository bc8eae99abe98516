import { setTimeout as delay } from 'node:timers/promises';
import { LogDamaged } from '../port.js';
import type { ClusterView } from './cluster-view.js';
import type { BrokerAccess } from './access.js';
import { Links } from './link.js';
import type { ReadLane } from './read-lane.js';
import { asLogRecord } from './read-records.js';
import { readRecordSet } from './record-batch.js';
import { fetchRequest } from './requests.js';
import type { FetchedPartition } from './requests.js';

const MAX_WAIT_MS = 500;
/** Maximum wait while a lane has enough and will want more soon, ms. */
const SHORT_WAIT_MS = 10;
/** Time after the last lane arrived during which expected lanes are not delayed by a long poll, ms. */
const GATHERING_MS = 1000;
const ANSWER_MS = 5000;
const MAX_BYTES = 8 * 1024 * 1024;
const PARTITION_BYTES = 1024 * 1024;
const AGAIN_AFTER_MS = 100;
/** Maximum time without a fetch although records are wanted, ms. */
const SILENT_MS = 10_000;
const OUT_OF_RANGE = 1;

interface Ask {
  readonly lane: ReadLane;
  readonly from: number;
}

/** Fetches for the lanes of one consumption: one long poll for each broker that leads some of them. */
export class Fetcher {
  readonly #cluster: ClusterView;
  readonly #access: BrokerAccess;
  readonly #paceMs: number;
  readonly #outOfRange: (lane: ReadLane) => void;
  readonly #lanes = new Set<ReadLane>();
  readonly #busy = new Set<string>();
  readonly #notBefore = new Map<string, number>();
  readonly #watchdog: NodeJS.Timeout;
  #links: Links;
  #generation = 0;
  #fetchedMs = performance.now();
  #round = 0;
  #closed = false;
  #looking = false;
  #restarts = 0;
  #expected = 0;
  #gatheringUntilMs = 0;

  /** `outOfRange` receives a lane whose offset the broker does not have. */
  constructor(cluster: ClusterView, access: BrokerAccess, paceMs: number, outOfRange: (lane: ReadLane) => void) {
    this.#cluster = cluster;
    this.#access = access;
    this.#paceMs = paceMs;
    this.#outOfRange = outOfRange;
    this.#links = new Links(access);
    this.#watchdog = setInterval(() => this.#watch(), 1000).unref();
  }

  /** Number of expected lanes. */
  expect(lanes: number): void {
    this.#expected = lanes;
    this.#gatheringUntilMs = performance.now() + GATHERING_MS;
  }

  add(lane: ReadLane): void {
    if (this.#lanes.size === 0) setImmediate(() => this.pump());
    this.#lanes.add(lane);
    this.#gatheringUntilMs = performance.now() + GATHERING_MS;
    if (this.#lanes.size >= this.#expected) this.pump();
  }

  remove(lane: ReadLane): void {
    this.#lanes.delete(lane);
  }

  /** Starts the fetches that are wanted and not pending. */
  pump(): void {
    if (this.#closed) return;
    const asks = new Map<string, Ask[]>();
    for (const lane of this.#lanes) {
      const from = lane.wants();
      if (from === null) continue;
      const leader = this.#cluster.leader(lane.source.name, lane.source.partition);
      if (leader === null) {
        lane.hinder(this.#cluster.problem() ?? 'the partition has no leader');
        this.#lookForLeaders();
      } else if (!this.#busy.has(leader)) asks.set(leader, [...(asks.get(leader) ?? []), { lane, from }]);
    }
    const now = performance.now();
    for (const [leader, group] of asks) {
      const wait = (this.#notBefore.get(leader) ?? 0) - now;
      if (wait > 0 && !group.some(({ lane }) => lane.awaited)) {
        this.#busy.add(leader);
        void this.#later(leader, wait);
      } else void this.#fetch(leader, group);
    }
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#watchdog);
    this.#links.close();
  }

  async #later(leader: string, wait: number): Promise<void> {
    const generation = this.#generation;
    const until = performance.now() + wait;
    while (performance.now() < until && !this.#closed && ![...this.#lanes].some((lane) => lane.awaited)) {
      await delay(Math.min(10, wait));
    }
    if (generation !== this.#generation) return;
    this.#notBefore.delete(leader);
    this.#busy.delete(leader);
    this.pump();
  }

  async #fetch(leader: string, asks: readonly Ask[]): Promise<void> {
    const generation = this.#generation;
    this.#busy.add(leader);
    // The first partition gets a batch, however large it is: each is first in turn.
    const first = this.#round++ % asks.length;
    const order = [...asks.slice(first), ...asks.slice(0, first)];
    const startedMs = performance.now();
    try {
      const wanted = order.map(({ lane: { source }, from }) => ({
        topic: source.name,
        partition: source.partition,
        offset: from,
      }));
      const someFull = [...this.#lanes].some((lane) => lane.wants() === null);
      const gathering = this.#lanes.size < this.#expected && startedMs < this.#gatheringUntilMs;
      const maxWaitMs = someFull || gathering ? SHORT_WAIT_MS : MAX_WAIT_MS;
      const limits = { maxWaitMs, maxBytes: MAX_BYTES, partitionBytes: PARTITION_BYTES };
      const found = await this.#links.to(leader).send(fetchRequest(wanted, limits), MAX_WAIT_MS + ANSWER_MS);
      if (generation !== this.#generation) return;
      this.#fetchedMs = performance.now();
      const failed = this.#deliver(order, found);
      if (failed) await this.#pause();
      const full = order.some(({ lane }) => lane.full);
      if (this.#paceMs > 0 && !full) {
        const begun = found.some(({ records }) => records.length > 0) ? this.#fetchedMs : startedMs;
        this.#notBefore.set(leader, begun + this.#paceMs);
      }
    } catch (error) {
      if (generation !== this.#generation) return;
      for (const { lane } of asks) lane.hinder((error as Error).message);
      await this.#pause();
    }
    if (generation !== this.#generation) return;
    this.#busy.delete(leader);
    this.pump();
  }

  /** True when some partition could not be fetched. */
  #deliver(asks: readonly Ask[], found: readonly FetchedPartition[]): boolean {
    const empty = found.every(({ records }) => records.length === 0);
    let failed = false;
    for (const { lane, from } of asks) {
      const { name, partition } = lane.source;
      const answer = found.find((one) => one.topic === name && one.partition === partition);
      if (answer === undefined) continue;
      if (answer.errorCode === OUT_OF_RANGE) {
        this.remove(lane);
        this.#outOfRange(lane);
        continue;
      }
      if (answer.errorCode !== 0) {
        lane.hinder(`the broker answered with error ${answer.errorCode}`);
        failed = true;
        continue;
      }
      try {
        const read = readRecordSet(answer.records, from, `${name}/${partition}`);
        // Records compacted away at the end leave no batch; the bytes of other partitions may have left no room.
        const next = read.nextOffset === from && empty ? answer.highWatermark : read.nextOffset;
        const records = read.records.map((record) => asLogRecord(lane.source, record));
        lane.take(from, records, Math.max(from, next), answer.highWatermark);
      } catch (error) {
        if (!(error instanceof LogDamaged)) throw error;
        lane.fail(error.message);
        failed = true;
      }
    }
    return failed;
  }

  async #pause(): Promise<void> {
    await delay(AGAIN_AFTER_MS);
    await this.#cluster.refresh().catch(() => undefined);
  }

  #lookForLeaders(): void {
    if (this.#looking) return;
    this.#looking = true;
    void this.#cluster.refreshSoon().then(() => {
      this.#looking = false;
      setTimeout(() => this.pump(), AGAIN_AFTER_MS).unref();
    });
  }

  #wanted(): boolean {
    return [...this.#lanes].some((lane) => lane.wants() !== null);
  }

  /** Restarts over new connections when nothing was fetched for too long. */
  #watch(): void {
    if (!this.#wanted()) this.#fetchedMs = performance.now();
    const due = Math.floor((performance.now() - this.#fetchedMs) / SILENT_MS);
    const restart = due > this.#restarts;
    this.#restarts = due;
    if (!restart) return;
    this.#generation++;
    this.#links.close();
    this.#links = new Links(this.#access);
    this.#busy.clear();
    this.pump();
  }
}
