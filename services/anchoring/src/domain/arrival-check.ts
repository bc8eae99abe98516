import { crc32 } from 'node:zlib';

const scratch = Buffer.alloc(5 * 8 + 32);

/** CRC-32 over everything that a store says of one leaf of an open window; `hash` is 32 bytes. */
export function arrivalCheck(
  cadence: number,
  partition: number,
  offset: number,
  agentN: number,
  sequence: number,
  hash: Uint8Array,
): number {
  scratch.writeDoubleBE(cadence, 0);
  scratch.writeDoubleBE(partition, 8);
  scratch.writeDoubleBE(offset, 16);
  scratch.writeDoubleBE(agentN, 24);
  scratch.writeDoubleBE(sequence, 32);
  scratch.set(hash, 40);
  return crc32(scratch);
}
