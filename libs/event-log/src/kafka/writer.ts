import { Deadlines, oncePerTick } from '@countersign/async';
import type { TopicName } from '@countersign/contracts';
import { LogRefused } from '../port.js';
import type { Appended, NewRecord } from '../port.js';
import { AppendCall } from './append-call.js';
import type { BrokerAccess } from './access.js';
import type { ClusterView } from './cluster-view.js';
import { Leaders } from './leaders.js';
import { NotSent } from './link.js';
import { partitionOf } from './partitioner.js';
import { meaningOf } from './produce-errors.js';
import { produceRequest } from './requests.js';
import type { ProduceAnswer } from './requests.js';
import { problemOf } from './record-limits.js';
import { lanesOf, RECORD_OVERHEAD } from './write-lane.js';
import type { WaitingRecord, WriteLane } from './write-lane.js';

const DEFAULT_PENDING_BYTES = 64 * 1024 * 1024;
/** Maximum bytes of one request, unless one batch has more. */
const REQUEST_BYTES = 4 * 1024 * 1024;
/** Pending requests to one broker, for disjoint partitions. */
const OUTSTANDING = 4;
const AGAIN_AFTER_MS = 40;
/** Minimum time that the last attempt has for its answer, ms. */
const LAST_ATTEMPT_MS = 100;

interface Batch {
  readonly lane: WriteLane;
  readonly records: readonly WaitingRecord[];
}

export interface WriterOptions {
  readonly prefix: string;
  readonly topics: readonly TopicName[];
  readonly access: BrokerAccess;
  /** Timeout of a call of `append`, ms. */
  readonly sendTimeoutMs: number;
  readonly maxPendingBytes?: number;
}

/**
 * Appends through one request at a time for each partition: a batch that is resent cannot be overtaken. Records of one
 * event-loop tick are sent together; those that arrive while a partition waits go with its next batch.
 */
export class KafkaWriter {
  readonly #cluster: ClusterView;
  readonly #leaders: Leaders;
  readonly #options: WriterOptions;
  readonly #maxPendingBytes: number;
  readonly #lanes: ReadonlyMap<string, readonly WriteLane[]>;
  readonly #ready = new Set<WriteLane>();
  readonly #deadlines = new Deadlines<AppendCall>((calls) => this.#expire(calls));
  readonly #pumpSoon = oncePerTick(() => this.#pump());
  #pendingBytes = 0;
  #closed = false;
  #refreshing = false;

  constructor(cluster: ClusterView, options: WriterOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.#maxPendingBytes = options.maxPendingBytes ?? DEFAULT_PENDING_BYTES;
    this.#leaders = new Leaders(cluster, options.access, options.sendTimeoutMs, () => this.#pump());
    this.#lanes = lanesOf(options.topics, options.prefix);
  }

  append(records: readonly NewRecord[]): Promise<readonly Appended[]> {
    if (this.#closed) return Promise.reject(new LogRefused('the log is closed'));
    if (records.length === 0) return Promise.resolve([]);
    const now = performance.now();
    const call = new AppendCall(records.length, now + this.#options.sendTimeoutMs);
    const placed: { lane: WriteLane; record: WaitingRecord }[] = [];
    let bytes = 0;
    for (const [index, { topic, key, value }] of records.entries()) {
      const lanes = this.#lanes.get(topic);
      const keyBytes = Buffer.from(key);
      const valueBytes = Buffer.byteLength(value);
      const problem = problemOf(topic, lanes, keyBytes, valueBytes);
      if (problem !== null) return Promise.reject(new LogRefused(problem));
      const lane = lanes![partitionOf(keyBytes, lanes!.length)]!;
      const blocked = this.#leaders.blocked(lane) ?? lane.hopeless(now, this.#options.sendTimeoutMs);
      if (blocked !== null) return Promise.reject(new LogRefused(blocked));
      bytes += valueBytes + RECORD_OVERHEAD;
      placed.push({ lane, record: { call, index, key: keyBytes, value, valueBytes, resent: false } });
    }
    if (this.#pendingBytes > 0 && this.#pendingBytes + bytes > this.#maxPendingBytes) {
      const waiting = `${this.#pendingBytes} bytes wait for Kafka already; try again when they are written`;
      return Promise.reject(new LogRefused(waiting));
    }
    this.#pendingBytes += bytes;
    for (const { lane, record } of placed) {
      lane.push(record);
      this.#offer(lane);
    }
    this.#deadlines.add(call);
    return call.promise;
  }

  refusing(): string | null {
    return this.#closed ? 'the log is closed' : this.#leaders.refusing();
  }

  /** Refuses new calls, waits for pending answers, then closes the connections. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#deadlines.waiting.map(({ promise }) => promise));
    this.#deadlines.stop();
    this.#leaders.close();
  }

  /** Marks a lane as having something to send; it goes at the end of this tick. */
  #offer(lane: WriteLane): void {
    if (lane.outstanding || lane.empty) return;
    this.#ready.add(lane);
    this.#pumpSoon();
  }

  #pump(): void {
    const now = performance.now();
    const requests = new Map<string, Batch[]>();
    const bytes = new Map<string, number>();
    for (const lane of this.#ready) {
      const leader = this.#cluster.leader(lane.name, lane.partition);
      if (leader === null) {
        this.#lookForLeaders();
        continue;
      }
      const loaded = bytes.get(leader) ?? 0;
      if (lane.notBeforeMs > now || loaded > REQUEST_BYTES || !this.#leaders.takes(leader, OUTSTANDING)) continue;
      const records = lane.take(this.#forget);
      this.#ready.delete(lane);
      if (records.length === 0) continue;
      const size = records.reduce((sum, record) => sum + record.valueBytes + RECORD_OVERHEAD, 0);
      bytes.set(leader, loaded + size);
      const request = requests.get(leader);
      if (request === undefined) requests.set(leader, [{ lane, records }]);
      else request.push({ lane, records });
    }
    for (const [leader, batches] of requests) void this.#send(leader, batches);
  }

  async #send(leader: string, batches: readonly Batch[]): Promise<void> {
    for (const { lane, records } of batches) {
      lane.outstanding = true;
      for (const record of records) record.call.sent();
    }
    let answers: readonly ProduceAnswer[] = [];
    let failure: Error | null = null;
    try {
      const request = produceRequest(
        batches.map(({ lane, records }) => ({ topic: lane.name, partition: lane.partition, records })),
        this.#options.sendTimeoutMs,
      );
      answers = await this.#leaders.send(leader, request);
    } catch (error) {
      failure = error as Error;
    }
    for (const { lane, records } of batches) {
      lane.outstanding = false;
      for (const record of records) record.call.answered();
      const answer = answers.find(({ topic, partition }) => topic === lane.name && partition === lane.partition);
      if (failure instanceof NotSent) this.#again(lane, records, failure.message);
      else if (answer === undefined) this.#doubt(lane, records, failure?.message ?? 'the broker gave no answer');
      else this.#take(lane, records, answer);
      this.#offer(lane);
    }
    this.#pump();
  }

  #take(lane: WriteLane, records: readonly WaitingRecord[], { errorCode, baseOffset }: ProduceAnswer): void {
    if (errorCode === 0) {
      lane.taken();
      for (const [delta, record] of records.entries()) {
        this.#forget(record);
        record.call.appended(record.index, lane.partition, baseOffset + delta);
      }
      return;
    }
    const { verdict, words } = meaningOf(errorCode);
    const reason = `${lane.name}/${lane.partition}: ${words}`;
    if (verdict === 'again') return this.#again(lane, records, reason);
    if (verdict === 'unknown') this.#failed(lane, reason);
    for (const record of records) {
      this.#forget(record);
      if (verdict === 'unknown') record.call.doubt();
      record.call.refuse(reason);
    }
  }

  /** Nothing of the batch is in the log: it is resent before the deadlines of its calls. */
  #again(lane: WriteLane, records: readonly WaitingRecord[], reason: string): void {
    this.#failed(lane, reason);
    lane.putBack(records);
    // An attempt that is cut off by its deadline leaves the call in doubt: refused now, the outcome is known.
    const late = records.filter(({ call }) => call.deadlineAt < lane.notBeforeMs + LAST_ATTEMPT_MS);
    for (const { call } of late) if (!call.over) call.expire(reason);
    lane.prune(this.#forget);
    this.#lookForLeaders();
  }

  #failed(lane: WriteLane, reason: string): void {
    const pause = lane.failed(reason, performance.now(), this.#options.sendTimeoutMs / 4);
    setTimeout(() => this.#pump(), pause + 1).unref();
  }

  /** The batch may be in the log: each record is sent once more, which may write it twice but keeps the order. */
  #doubt(lane: WriteLane, records: readonly WaitingRecord[], reason: string): void {
    const first = records.filter((record) => !record.resent);
    for (const record of records) {
      record.call.doubt();
      if (!record.resent) continue;
      this.#forget(record);
      record.call.refuse(reason);
    }
    for (const record of first) record.resent = true;
    this.#again(lane, first, reason);
  }

  readonly #forget = (record: WaitingRecord): void => {
    this.#pendingBytes -= record.valueBytes + RECORD_OVERHEAD;
  };

  #lookForLeaders(): void {
    if (this.#refreshing) return;
    this.#refreshing = true;
    void this.#cluster.refreshSoon().then(() => {
      this.#refreshing = false;
      if (!this.#closed || this.#ready.size > 0) setTimeout(() => this.#pump(), AGAIN_AFTER_MS).unref();
    });
  }

  #expire(calls: readonly AppendCall[]): void {
    const reason = `Kafka did not take it within ${this.#options.sendTimeoutMs} ms${this.#why()}`;
    for (const call of calls) call.expire(reason);
    for (const lane of [...this.#lanes.values()].flat()) {
      lane.prune(this.#forget);
      if (lane.empty) this.#ready.delete(lane);
    }
    this.#leaders.suspect();
  }

  #why(): string {
    const failing = [...this.#lanes.values()].flat().find(({ problem, empty }) => problem !== null && !empty);
    const why = this.#leaders.refusing() ?? this.#cluster.problem() ?? failing?.problem;
    return typeof why === 'string' ? `: ${why}` : '';
  }
}
