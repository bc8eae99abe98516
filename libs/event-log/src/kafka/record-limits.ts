import { MAX_KEY_BYTES, MAX_VALUE_BYTES } from '../port.js';

/** The reason to refuse a record before anything is sent, or `null`. */
export function problemOf(topic: string, lanes: unknown, key: Uint8Array, valueBytes: number): string | null {
  if (lanes === undefined) return `there is no topic ${topic}`;
  if (key.length === 0 || key.length > MAX_KEY_BYTES) return `a key has 1 to ${MAX_KEY_BYTES} bytes`;
  if (valueBytes <= MAX_VALUE_BYTES) return null;
  return `a value has at most ${MAX_VALUE_BYTES} bytes; this one has ${valueBytes}`;
}
