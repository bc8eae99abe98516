/** murmur2 as in the Java client, signed 32 bits. */
export function murmur2(key: Uint8Array): number {
  const length = key.length;
  let hash = 0x9747b28c ^ length;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    let word = key[at]! | (key[at + 1]! << 8) | (key[at + 2]! << 16) | (key[at + 3]! << 24);
    word = Math.imul(word, 0x5bd1e995);
    word ^= word >>> 24;
    hash = Math.imul(hash, 0x5bd1e995) ^ Math.imul(word, 0x5bd1e995);
  }
  const left = length - at;
  if (left >= 3) hash ^= key[at + 2]! << 16;
  if (left >= 2) hash ^= key[at + 1]! << 8;
  if (left >= 1) hash = Math.imul(hash ^ key[at]!, 0x5bd1e995);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0x5bd1e995);
  return hash ^ (hash >>> 15);
}

/** The partition that Java's default partitioner assigns to a key: every client of the topics agrees on it. */
export function partitionOf(key: Uint8Array, partitions: number): number {
  return (murmur2(key) & 0x7fffffff) % partitions;
}
