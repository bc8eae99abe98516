import { createHash } from 'node:crypto';
import { Partitioners } from 'kafkajs';
import { murmur2, partitionOf } from './partitioner.js';

describe('partitioner', () => {
  it('hashes as the Java client does', () => {
    // From UtilsTest.testMurmur2 of Kafka's Java client.
    expect(murmur2(Buffer.from('21'))).toBe(-973932308);
    expect(murmur2(Buffer.from('foobar'))).toBe(-790332482);
    expect(murmur2(Buffer.from('a-little-bit-long-string'))).toBe(-985981536);
    expect(murmur2(Buffer.from('a-little-bit-longer-string'))).toBe(-1486304829);
    expect(murmur2(Buffer.from('lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8'))).toBe(-58897971);
    expect(murmur2(Buffer.from('abc'))).toBe(479470107);
  });

  it('assigns keys of every length to the partition of kafkajs', () => {
    const partitioner = Partitioners.DefaultPartitioner();
    const partitionMetadata = Array.from({ length: 12 }, (_, partitionId) => ({
      partitionId,
      leader: 1,
      partitionErrorCode: 0,
      replicas: [1],
      isr: [1],
    }));
    for (let length = 1; length <= 200; length++) {
      const key = createHash('sha512').update(String(length)).digest('base64').repeat(3).slice(0, length);
      const theirs = partitioner({ topic: 't', partitionMetadata, message: { key, value: '' } });
      expect(partitionOf(Buffer.from(key), 12)).toBe(theirs);
    }
  });
});
