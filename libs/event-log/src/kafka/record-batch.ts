import { gunzipSync } from 'node:zlib';
import { LogDamaged } from '../port.js';
import { crc32c } from './crc32c.js';

/** Bytes of a batch before its records (record format 2, Kafka 0.11 and later). */
const HEADER_BYTES = 61;
const LENGTH_AT = 8;
const MAGIC_AT = 16;
const CRC_AT = 17;
const ATTRIBUTES_AT = 21;
const LAST_DELTA_AT = 23;
const FIRST_TIME_AT = 27;
const MAX_TIME_AT = 35;
const COUNT_AT = 57;

const CODEC_MASK = 0x07;
const GZIP = 1;
const LOG_APPEND_TIME = 0x08;
const CONTROL = 0x20;

export interface RecordToWrite {
  readonly key: Uint8Array;
  readonly value: string;
  /** Bytes of `value` in UTF-8. */
  readonly valueBytes: number;
}

export interface ReadRecord {
  readonly offset: number;
  readonly key: string;
  readonly value: Uint8Array;
  readonly timeMs: number;
}

export interface ReadRecords {
  readonly records: readonly ReadRecord[];
  /** The next offset to read: past the last whole batch, also when its records were compacted away. */
  readonly nextOffset: number;
}

const varintBytes = (value: number): number => {
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  let bytes = 1;
  while (rest >= 0x80) {
    rest >>>= 7;
    bytes++;
  }
  return bytes;
};

function writeVarint(target: Buffer, at: number, value: number): number {
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  while (rest >= 0x80) {
    target[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  target[at++] = rest;
  return at;
}

const bodyBytes = (record: RecordToWrite, delta: number): number =>
  3 +
  varintBytes(delta) +
  varintBytes(record.key.length) +
  record.key.length +
  varintBytes(record.valueBytes) +
  record.valueBytes;

/** Bytes that a batch of these records takes. */
export function batchBytes(records: readonly RecordToWrite[]): number {
  let bytes = HEADER_BYTES;
  for (let delta = 0; delta < records.length; delta++) {
    const body = bodyBytes(records[delta]!, delta);
    bytes += varintBytes(body) + body;
  }
  return bytes;
}

/** Writes one uncompressed batch without a producer id; returns its end. */
export function writeBatch(target: Buffer, from: number, records: readonly RecordToWrite[], nowMs: number): number {
  let at = from + HEADER_BYTES;
  for (let delta = 0; delta < records.length; delta++) {
    const record = records[delta]!;
    at = writeVarint(target, at, bodyBytes(record, delta));
    target[at++] = 0;
    target[at++] = 0;
    at = writeVarint(target, at, delta);
    at = writeVarint(target, at, record.key.length);
    target.set(record.key, at);
    at = writeVarint(target, at + record.key.length, record.valueBytes);
    at += target.write(record.value, at);
    target[at++] = 0;
  }
  target.writeBigInt64BE(0n, from);
  target.writeInt32BE(at - from - LENGTH_AT - 4, from + LENGTH_AT);
  target.writeInt32BE(-1, from + 12);
  target[from + MAGIC_AT] = 2;
  target.writeInt16BE(0, from + ATTRIBUTES_AT);
  target.writeInt32BE(records.length - 1, from + LAST_DELTA_AT);
  target.writeBigInt64BE(BigInt(nowMs), from + FIRST_TIME_AT);
  target.writeBigInt64BE(BigInt(nowMs), from + MAX_TIME_AT);
  target.writeBigInt64BE(-1n, from + 43);
  target.writeInt16BE(-1, from + 51);
  target.writeInt32BE(-1, from + 53);
  target.writeInt32BE(records.length, from + COUNT_AT);
  target.writeUInt32BE(crc32c(target, from + ATTRIBUTES_AT, at), from + CRC_AT);
  return at;
}

/** Reads varints of records; the numbers stay below 2^53. */
class Cursor {
  at: number;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#bytes[this.at++];
      if (byte === undefined) throw new RangeError('a number ends too early');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
      scale *= 128;
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  bytes(): Buffer | null {
    const length = this.varint();
    if (length < 0) return null;
    const end = this.at + length;
    if (end > this.#bytes.length) throw new RangeError('a field ends too early');
    const found = this.#bytes.subarray(this.at, end);
    this.at = end;
    return found;
  }
}

const EMPTY = new Uint8Array(0);

/**
 * Reads a fetched record set from `fromOffset` on. A batch that was cut off at the end is left for the next fetch. A
 * null key or value is an empty one. Throws `LogDamaged` naming `where` where the checksum or the format is violated.
 */
export function readRecordSet(set: Buffer, fromOffset: number, where: string): ReadRecords {
  const records: ReadRecord[] = [];
  let nextOffset = fromOffset;
  let at = 0;
  while (at + HEADER_BYTES <= set.length) {
    const end = at + LENGTH_AT + 4 + set.readInt32BE(at + LENGTH_AT);
    if (end > set.length) break;
    const baseOffset = Number(set.readBigInt64BE(at));
    const damaged = (what: string) => new LogDamaged(`${where}: the batch at offset ${baseOffset} ${what}`);
    if (end < at + HEADER_BYTES) throw damaged('has no valid length');
    if (set[at + MAGIC_AT] !== 2) throw damaged(`has record format ${set[at + MAGIC_AT]}; only format 2 is read`);
    if (crc32c(set, at + ATTRIBUTES_AT, end) !== set.readUInt32BE(at + CRC_AT)) throw damaged('fails its check sum');
    const attributes = set.readInt16BE(at + ATTRIBUTES_AT);
    if ((attributes & CONTROL) === 0) {
      try {
        readBatch(set.subarray(at, end), attributes, baseOffset, fromOffset, records);
      } catch (error) {
        throw damaged(`cannot be read: ${(error as Error).message}`);
      }
    }
    nextOffset = Math.max(nextOffset, baseOffset + set.readInt32BE(at + LAST_DELTA_AT) + 1);
    at = end;
  }
  return { records, nextOffset };
}

function readBatch(
  batch: Buffer,
  attributes: number,
  baseOffset: number,
  fromOffset: number,
  into: ReadRecord[],
): void {
  const codec = attributes & CODEC_MASK;
  if (codec > GZIP) throw new Error(`it is compressed by codec ${codec}; gzip and none are read`);
  const body = codec === GZIP ? gunzipSync(batch.subarray(HEADER_BYTES)) : batch;
  const appended = (attributes & LOG_APPEND_TIME) !== 0;
  const baseTime = Number(batch.readBigInt64BE(appended ? MAX_TIME_AT : FIRST_TIME_AT));
  const cursor = new Cursor(body, codec === GZIP ? 0 : HEADER_BYTES);
  for (let left = batch.readInt32BE(COUNT_AT); left > 0; left--) {
    const end = cursor.varint() + cursor.at;
    cursor.at++;
    const timeDelta = cursor.varint();
    const offset = baseOffset + cursor.varint();
    const key = cursor.bytes();
    const value = cursor.bytes();
    cursor.at = end;
    if (offset < fromOffset) continue;
    into.push({
      offset,
      key: key === null ? '' : key.toString('utf8'),
      value: value ?? EMPTY,
      timeMs: appended ? baseTime : baseTime + timeDelta,
    });
  }
}
