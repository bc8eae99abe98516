import { toHex } from './hex.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Reports whether `value` is a UUID of any version, in lower case. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** Reports whether `value` is a UUID v7 (RFC 9562 section 5.7), in lower case. */
export function isUuidV7(value: unknown): value is string {
  return typeof value === 'string' && UUID_V7.test(value);
}

/**
 * UUID v7 of the given time and randomness.
 * @param ms milliseconds since the epoch, a whole number below 2^48
 * @param random 10 bytes; 74 of their 80 bits are used
 * @throws RangeError for another time or another length
 */
export function uuidV7(ms: number, random: Uint8Array): string {
  if (!Number.isInteger(ms) || ms < 0 || ms >= 2 ** 48) throw new RangeError('ms must be a whole number below 2^48');
  if (random.length !== 10) throw new RangeError('random must be 10 bytes');
  const time = ms.toString(16).padStart(12, '0');
  const tail = random.slice();
  tail[0] = 0x70 | (tail[0]! & 0x0f);
  tail[2] = 0x80 | (tail[2]! & 0x3f);
  const hex = toHex(tail);
  return `${time.slice(0, 8)}-${time.slice(8)}-${hex.slice(0, 4)}-${hex.slice(4, 8)}-${hex.slice(8)}`;
}
