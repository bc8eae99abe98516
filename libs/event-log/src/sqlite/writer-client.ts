import { oncePerTick } from '@countersign/async';
import { TOPIC_NAMES } from '@countersign/contracts';
import type { TopicName } from '@countersign/contracts';
import { MessageChannel } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { LogInDoubt, LogRefused, MAX_KEY_BYTES, MAX_VALUE_BYTES } from '../port.js';
import type { Appended, NewRecord } from '../port.js';
import type { AppendAnswer, FromWriter, ToWriter } from './protocol.js';

/** Maximum characters of values in one message to the writer, unless one call has more. */
const MESSAGE_CHARACTERS = 4 * 1024 * 1024;
/** Bytes that a waiting record counts in addition to its value. */
const RECORD_OVERHEAD = 200;
const TOPIC_INDEX = new Map<string, number>(TOPIC_NAMES.map((name, index) => [name, index]));

interface Call {
  readonly records: readonly NewRecord[];
  readonly bytes: number;
  readonly resolve: (appended: readonly Appended[]) => void;
  readonly reject: (reason: Error) => void;
}

/** One thread's connection to the writer thread. Sends the appends of one event-loop tick as one message. */
export class WriterClient {
  readonly #port: MessagePort;
  readonly #maxPendingBytes: number;
  readonly #flushSoon = oncePerTick(() => this.#flush());
  #queue: Call[] = [];
  /**
   * In the order of the answers. A Map that constantly fills and empties reallocates its table, each old table
   * references the next, and once one is tenured all later calls stay out of young-generation collection.
   */
  #sent: { readonly sequence: number; readonly calls: readonly Call[] }[] = [];
  #sequence = 0;
  #pendingBytes = 0;
  /** Permanently. */
  #refusing: string | null = null;
  /** Until the writer has recovered. */
  #latched: string | null = null;
  #left = false;
  #ends: readonly number[] = [];
  readonly #wakers = new Map<number, Set<() => void>>();
  #idlers: (() => void)[] = [];
  readonly #members = new Map<number, (assigned: boolean) => void>();
  readonly #maintaining = new Map<number, { resolve: () => void; reject: (reason: Error) => void }>();

  constructor(port: MessagePort, maxPendingBytes: number) {
    this.#port = port;
    this.#maxPendingBytes = maxPendingBytes;
    port.on('message', (message: FromWriter) => this.#receive(message));
    port.on('close', () => this.#lose());
  }

  refusing(): string | null {
    return this.#refusing ?? this.#latched;
  }

  append(records: readonly NewRecord[]): Promise<readonly Appended[]> {
    const refusing = this.refusing();
    if (refusing !== null) return Promise.reject(new LogRefused(refusing));
    if (records.length === 0) return Promise.resolve([]);
    let bytes = 0;
    for (const record of records) {
      const problem = problemOf(record);
      if (problem !== null) return Promise.reject(new LogRefused(problem));
      bytes += record.value.length + RECORD_OVERHEAD;
    }
    if (this.#pendingBytes > 0 && this.#pendingBytes + bytes > this.#maxPendingBytes) {
      const waiting = `${this.#pendingBytes} bytes wait for the disk already; try again when they are written`;
      return Promise.reject(new LogRefused(waiting));
    }
    this.#pendingBytes += bytes;
    return new Promise((resolve, reject) => {
      this.#queue.push({ records, bytes, resolve, reject });
      this.#flushSoon();
    });
  }

  /** Ends of all topics by the writer's last notice; they trail the file by some milliseconds. */
  endOf(topic: TopicName): number {
    return this.#ends[TOPIC_INDEX.get(topic) ?? -1] ?? 0;
  }

  /** Calls back at once and at every change of the topic's end, until the returned function is called. */
  onEnds(topic: TopicName, wake: () => void): () => void {
    const index = TOPIC_INDEX.get(topic) ?? -1;
    let wakers = this.#wakers.get(index);
    if (wakers === undefined) {
      this.#wakers.set(index, (wakers = new Set()));
      this.#post({ kind: 'watch', topic: index });
    }
    wakers.add(wake);
    return () => wakers.delete(wake);
  }

  /**
   * Requests a partition in a group; calls back with `false` when another member has it, with `true` once it is this
   * one's.
   */
  join(partition: string, changed: (assigned: boolean) => void): () => void {
    const member = ++this.#sequence;
    this.#members.set(member, changed);
    this.#post({ kind: 'join', member, partition });
    return () => {
      this.#members.delete(member);
      this.#post({ kind: 'leave', member });
    };
  }

  maintain(nowMs: number): Promise<void> {
    const refusing = this.refusing();
    if (refusing !== null) return Promise.reject(new Error(refusing));
    const sequence = ++this.#sequence;
    return new Promise((resolve, reject) => {
      this.#maintaining.set(sequence, { resolve, reject });
      this.#post({ kind: 'maintain', sequence, nowMs });
    });
  }

  connectPort(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#port.postMessage({ kind: 'connect', port: port1 } satisfies ToWriter, [port1]);
    return port2;
  }

  /** Refuses new calls and resolves when every pending call is answered. */
  async drain(): Promise<void> {
    this.#refusing ??= 'the log is closed';
    if (this.#pendingBytes > 0) await new Promise<void>((resolve) => this.#idlers.push(resolve));
  }

  leave(): void {
    this.#left = true;
    this.#post({ kind: 'bye' });
    this.#port.close();
  }

  /** The writer thread has ended: what it had not answered may or may not be in the log. */
  fail(reason: string): void {
    this.#refusing ??= reason;
    const sent = this.#sent;
    this.#sent = [];
    for (const { calls } of sent) this.#settle(calls, (call) => call.reject(new LogInDoubt(reason)));
    const queue = this.#queue;
    this.#queue = [];
    this.#settle(queue, (call) => call.reject(new LogRefused(reason)));
    for (const { reject } of this.#maintaining.values()) reject(new Error(reason));
    this.#maintaining.clear();
  }

  #post(message: ToWriter): void {
    this.#port.postMessage(message);
  }

  #lose(): void {
    if (!this.#left) this.fail('the log-writer thread has ended');
  }

  #flush(): void {
    const queue = this.#queue;
    this.#queue = [];
    let from = 0;
    while (from < queue.length) {
      let until = from;
      let bytes = 0;
      do bytes += queue[until++]?.bytes ?? 0;
      while (until < queue.length && bytes < MESSAGE_CHARACTERS);
      this.#send(from === 0 && until === queue.length ? queue : queue.slice(from, until));
      from = until;
    }
  }

  #send(calls: Call[]): void {
    const topics: number[] = [];
    const keys: string[] = [];
    const values: string[] = [];
    let single = true;
    for (const { records } of calls) {
      for (const record of records) {
        const topic = TOPIC_INDEX.get(record.topic) ?? -1;
        if (topic !== (topics[0] ?? topic)) single = false;
        topics.push(topic);
        keys.push(record.key);
        values.push(record.value);
      }
    }
    const sequence = ++this.#sequence;
    this.#sent.push({ sequence, calls });
    this.#post({ kind: 'append', sequence, topics: single ? (topics[0] ?? 0) : topics, keys, values });
  }

  #receive(message: FromWriter): void {
    switch (message.kind) {
      case 'answers':
        for (const answer of message.answers) this.#answer(answer);
        return;
      case 'ends':
        this.#takeEnds(message.ends);
        return;
      case 'latched':
        this.#latched = message.reason;
        return;
      case 'recovered':
        this.#latched = null;
        return;
      case 'assigned':
      case 'waiting':
        return this.#members.get(message.member)?.(message.kind === 'assigned');
      case 'maintained': {
        const waiting = this.#maintaining.get(message.sequence);
        this.#maintaining.delete(message.sequence);
        return message.problem === null ? waiting?.resolve() : waiting?.reject(new Error(message.problem));
      }
      case 'closed':
        return this.fail('the log is closed');
    }
  }

  #takeEnds(ends: readonly number[]): void {
    const before = this.#ends;
    this.#ends = ends;
    for (const [topic, wakers] of this.#wakers) {
      if (ends[topic] !== before[topic]) for (const wake of [...wakers]) wake();
    }
  }

  #answer(answer: AppendAnswer): void {
    if (this.#sent[0]?.sequence !== answer.sequence) return;
    const { calls } = this.#sent.shift()!;
    if ('outcome' in answer) {
      this.#latched ??= answer.reason;
      const error = answer.outcome === 'in-doubt' ? LogInDoubt : LogRefused;
      return this.#settle(calls, (call) => call.reject(new error(answer.reason)));
    }
    const next: Record<number, number> = {};
    const { first } = answer;
    this.#settle(calls, ({ records, resolve }) => {
      resolve(
        records.map((record) => {
          const topic = TOPIC_INDEX.get(record.topic) ?? -1;
          const offset = next[topic] ?? (typeof first === 'number' ? first : (first[topic] ?? -1));
          next[topic] = offset + 1;
          return { partition: 0, offset };
        }),
      );
    });
  }

  #settle(calls: readonly Call[], one: (call: Call) => void): void {
    for (const call of calls) {
      this.#pendingBytes -= call.bytes;
      one(call);
    }
    if (this.#pendingBytes > 0) return;
    for (const idler of this.#idlers.splice(0)) idler();
  }
}

function problemOf({ topic, key, value }: NewRecord): string | null {
  if (!TOPIC_INDEX.has(topic)) return `there is no topic ${topic}`;
  if (key.length === 0 || (key.length * 3 > MAX_KEY_BYTES && Buffer.byteLength(key) > MAX_KEY_BYTES)) {
    return `a key has 1 to ${MAX_KEY_BYTES} bytes`;
  }
  if (value.length * 3 > MAX_VALUE_BYTES && Buffer.byteLength(value) > MAX_VALUE_BYTES) {
    return `a value has at most ${MAX_VALUE_BYTES} bytes; this one has ${Buffer.byteLength(value)}`;
  }
  return null;
}
