import { TOPIC_NAMES, TOPICS, type TopicName } from '@countersign/contracts';
import type { EventReader, LogRecord, Offsets, StoredLog } from '@countersign/event-log';
import type { Store } from '../open-stores.js';
import { offsetOf, partitionOf, placeIn } from '../places.js';
import { scratch } from '../scratch.js';

const PAGE = 1000;

interface Row {
  readonly place: number;
  readonly key: string;
  readonly value: Buffer;
  readonly at: number;
}

type Reading = Pick<EventReader, 'read' | 'beginOffsets' | 'endOffsets'>;

/** Records of a topic up to `ends`, partition after partition; their `offset` is their place. */
export async function* recordsOf(log: Reading, topic: TopicName, ends: Offsets): AsyncGenerator<LogRecord> {
  const begins = await log.beginOffsets(topic);
  for (let partition = 0; partition < TOPICS[topic].partitions; partition += 1) {
    const end = ends[partition] ?? 0;
    let next = begins[partition] ?? 0;
    while (next < end) {
      const records = await log.read(topic, partition, next, PAGE);
      if (records.length === 0) break;
      for (const record of records) {
        if (record.offset < end) yield { ...record, offset: placeIn(partition, record.offset) };
      }
      next = records.at(-1)!.offset + 1;
    }
  }
}

/** Keys of the records of a topic that were appended after it was fetched. */
export async function newerKeys(log: Reading, fetched: FetchedLog, topic: TopicName): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const before = fetched.endOffsets(topic);
  for (const [name, end] of Object.entries(await log.endOffsets(topic))) {
    const partition = Number(name);
    let next = before[partition] ?? 0;
    while (next < end) {
      const records = await log.read(topic, partition, next, PAGE);
      if (records.length === 0) break;
      for (const { key } of records) keys.add(key);
      next = records.at(-1)!.offset + 1;
    }
  }
  return keys;
}

/** All topics but `agent-events`, read into a temporary file. */
export class FetchedLog implements StoredLog {
  readonly #records: Store = scratch();
  readonly #begins = new Map<TopicName, Offsets>();
  readonly #ends = new Map<TopicName, Offsets>();

  private constructor() {
    this.#records.exec(
      'CREATE TABLE records (topic TEXT, place INTEGER, key TEXT, value BLOB, at INTEGER, PRIMARY KEY (topic, place))',
    );
  }

  static async fetch(log: Reading): Promise<FetchedLog> {
    const fetched = new FetchedLog();
    const store = fetched.#records;
    const insert = store.prepare('INSERT INTO records VALUES (?, ?, ?, ?, ?)');
    store.exec('BEGIN');
    for (const topic of TOPIC_NAMES) {
      const ends = await log.endOffsets(topic);
      fetched.#begins.set(topic, await log.beginOffsets(topic));
      fetched.#ends.set(topic, ends);
      if (topic === 'agent-events') continue;
      for await (const { offset, key, value, appendedAtMs } of recordsOf(log, topic, ends)) {
        insert.run(topic, offset, key, value, appendedAtMs);
      }
    }
    store.exec('COMMIT');
    return fetched;
  }

  *records(topic: TopicName): Generator<LogRecord> {
    const rows = this.#records.prepare<[string], Row>(
      'SELECT place, key, value, at FROM records WHERE topic = ? ORDER BY place',
    );
    for (const { place, key, value, at } of rows.iterate(topic)) {
      yield { topic, partition: partitionOf(place), offset: place, key, value, appendedAtMs: at };
    }
  }

  beginOffsets(topic: TopicName): Offsets {
    return this.#begins.get(topic) ?? {};
  }

  endOffsets(topic: TopicName): Offsets {
    return this.#ends.get(topic) ?? {};
  }

  /** `true` when retention has dropped the event. */
  dropped(place: number): boolean {
    return offsetOf(place) < (this.beginOffsets('agent-events')[partitionOf(place)] ?? 0);
  }

  close(): void {
    this.#records.close();
  }
}
