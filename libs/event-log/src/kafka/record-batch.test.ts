import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { LogDamaged } from '../port.js';
import { crc32c } from './crc32c.js';
import { batchBytes, readRecordSet, writeBatch } from './record-batch.js';

const NOW = 1_800_000_000_000;

function batchOf(records: readonly { key: string; value: string }[], baseOffset = 0): Buffer {
  const encoded = records.map(({ key, value }) => ({
    key: Buffer.from(key),
    value,
    valueBytes: Buffer.byteLength(value),
  }));
  const target = Buffer.alloc(batchBytes(encoded));
  expect(writeBatch(target, 0, encoded, NOW)).toBe(target.length);
  target.writeBigInt64BE(BigInt(baseOffset), 0);
  return target;
}

/** Changes the header and corrects the checksum. */
function altered(batch: Buffer, change: (batch: Buffer) => void): Buffer {
  const copy = Buffer.from(batch);
  change(copy);
  copy.writeUInt32BE(crc32c(copy, 21, copy.length), 17);
  return copy;
}

const text = (value: Uint8Array) => Buffer.from(value).toString();

describe('record batches', () => {
  it('reads what it wrote', () => {
    const record = fc.record({
      key: fc.string({ unit: 'binary' }),
      value: fc.string({ unit: 'binary', maxLength: 300 }),
    });
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 80 }), fc.nat(2 ** 40), (records, baseOffset) => {
        const read = readRecordSet(batchOf(records, baseOffset), 0, 'p');
        expect(read.nextOffset).toBe(baseOffset + records.length);
        expect(read.records.map(({ key, value }) => ({ key, value: text(value) }))).toEqual(records);
        expect(read.records.map(({ offset }) => offset)).toEqual(records.map((_, delta) => baseOffset + delta));
        expect(read.records.every(({ timeMs }) => timeMs === NOW)).toBe(true);
      }),
    );
  });

  it('omits records before the requested offset, and a batch that was cut off', () => {
    const first = batchOf(
      [
        { key: 'a', value: '1' },
        { key: 'b', value: '2' },
      ],
      10,
    );
    const second = batchOf([{ key: 'c', value: '3' }], 12);
    const set = Buffer.concat([first, second.subarray(0, second.length - 1)]);
    const read = readRecordSet(set, 11, 'p');
    expect(read.records.map(({ offset }) => offset)).toEqual([11]);
    expect(read.nextOffset).toBe(12);
  });

  it('refuses any flipped bit after the checksum, and never makes a record of it', () => {
    const batch = batchOf([
      { key: 'agent', value: '{"a":1}' },
      { key: 'agent', value: '{"a":2}' },
    ]);
    for (let bit = 17 * 8; bit < batch.length * 8; bit++) {
      const copy = Buffer.from(batch);
      copy[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => readRecordSet(copy, 0, 'place/0')).toThrow(LogDamaged);
    }
  });

  it('throws nothing else for arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          readRecordSet(Buffer.from(bytes), 0, 'p');
        } catch (error) {
          expect(error).toBeInstanceOf(LogDamaged);
        }
      }),
    );
  });

  it('takes the time of the log where the broker has stamped it', () => {
    const stamped = altered(batchOf([{ key: 'k', value: 'v' }]), (batch) => {
      batch.writeInt16BE(0x08, 21);
      batch.writeBigInt64BE(BigInt(NOW + 5000), 35);
    });
    expect(readRecordSet(stamped, 0, 'p').records[0]?.timeMs).toBe(NOW + 5000);
  });

  it('moves past a batch whose records were compacted away', () => {
    const empty = altered(batchOf([{ key: 'k', value: 'v' }], 7).subarray(0, 61), (batch) => {
      batch.writeInt32BE(61 - 12, 8);
      batch.writeInt32BE(4, 23);
      batch.writeInt32BE(0, 57);
    });
    expect(readRecordSet(empty, 7, 'p')).toEqual({ records: [], nextOffset: 12 });
  });

  it('delivers a null key and a null value of a foreign writer as empty ones', () => {
    const body = Buffer.from([12, 0, 0, 0, 1, 1, 0]);
    const foreign = altered(Buffer.concat([batchOf([{ key: 'k', value: 'v' }]).subarray(0, 61), body]), (batch) => {
      batch.writeInt32BE(batch.length - 12, 8);
    });
    expect(readRecordSet(foreign, 0, 'p').records).toEqual([
      { offset: 0, key: '', value: new Uint8Array(0), timeMs: NOW },
    ]);
  });

  it('reads gzip, and names a compression that it does not read', () => {
    const plain = batchOf([{ key: 'k', value: 'v'.repeat(100) }]);
    const zipped = Buffer.concat([plain.subarray(0, 61), gzipSync(plain.subarray(61))]);
    const of = (codec: number) =>
      altered(zipped, (batch) => {
        batch.writeInt32BE(batch.length - 12, 8);
        batch.writeInt16BE(codec, 21);
      });
    expect(readRecordSet(of(1), 0, 'p').records.map(({ value }) => text(value))).toEqual(['v'.repeat(100)]);
    expect(() => readRecordSet(of(4), 0, 'p')).toThrow('compressed by codec 4');
  });
});
