import type { TopicName } from '@countersign/contracts';
import { LogDamaged } from '../port.js';
import type { LogRecord } from '../port.js';
import type { ClusterView } from './cluster-view.js';
import type { Links } from './link.js';
import { edgeOffsets, withRetries } from './offsets.js';
import { readRecordSet } from './record-batch.js';
import { fetchRequest } from './requests.js';

const ASK_MS = 10_000;
const READ_BYTES = 8 * 1024 * 1024;
const PARTITION_BYTES = 1024 * 1024;
const OUT_OF_RANGE = 1;

export interface TopicPartition {
  readonly topic: TopicName;
  /** The topic's name at the brokers. */
  readonly name: string;
  readonly partition: number;
}

/** Records from `fromOffset` on; see `EventReader.read`. */
export async function readRecords(
  cluster: ClusterView,
  links: Links,
  source: TopicPartition,
  fromOffset: number,
  limit: number,
): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  let next = fromOffset;
  let bytes = 0;
  while (records.length < limit && bytes < READ_BYTES) {
    const set = await fetchOnce(cluster, links, source, next);
    if (set === null || next >= set.end) break;
    const read = readRecordSet(set.bytes, next, `${source.name}/${source.partition}`);
    for (const record of read.records) {
      if (records.length === limit || (bytes > 0 && bytes + record.value.length > READ_BYTES)) return records;
      bytes += record.value.length;
      records.push(asLogRecord(source, record));
    }
    // Records compacted away at the end leave no batch.
    next = read.nextOffset > next ? read.nextOffset : set.end;
  }
  return records;
}

export function asLogRecord(
  { topic, partition }: TopicPartition,
  record: { offset: number; key: string; value: Uint8Array; timeMs: number },
): LogRecord {
  const { offset, key, value, timeMs } = record;
  return { topic, partition, offset, key, value, appendedAtMs: timeMs };
}

async function fetchOnce(
  cluster: ClusterView,
  links: Links,
  { name, partition }: TopicPartition,
  offset: number,
): Promise<{ bytes: Buffer; end: number } | null> {
  return withRetries(cluster, async () => {
    const leader = cluster.leader(name, partition);
    if (leader === null) {
      if (partition >= (cluster.topic(name)?.leaders.length ?? Infinity)) return null;
      throw new Error(`${name}/${partition} has no leader`);
    }
    const limits = { maxWaitMs: 0, maxBytes: READ_BYTES, partitionBytes: PARTITION_BYTES };
    const [found] = await links.to(leader).send(fetchRequest([{ topic: name, partition, offset }], limits), ASK_MS);
    if (found?.errorCode === OUT_OF_RANGE) {
      const begin = (await edgeOffsets(cluster, name, 'begin'))[partition] ?? 0;
      if (offset >= begin) return null;
      return { bytes: Buffer.alloc(0), end: -begin };
    }
    if (found?.errorCode !== 0) throw new Error(`reading ${name}/${partition}: error ${found?.errorCode ?? 'none'}`);
    return { bytes: found.records, end: found.highWatermark };
  }).then((set) => {
    if (set !== null && set.end < 0) {
      const what = `offset ${offset} is no longer kept, the first is ${-set.end}`;
      throw new LogDamaged(`${name}/${partition}: ${what}: messages were missed`);
    }
    return set;
  });
}
