import { crc32 } from 'node:zlib';

/**
 * CRC-32 over offset, time, key and value of a record: SQLite checks its pages' structure but not their content.
 * `value` is the text or its UTF-8 bytes.
 */
export function recordChecksum(offset: number, appendedAtMs: number, key: string, value: string | Uint8Array): number {
  return crc32(value, crc32(`${offset} ${appendedAtMs} ${key}`));
}
