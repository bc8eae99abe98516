const VARIANT = ['8', '9', 'a', 'b'] as const;

/**
 * UUID v7 (RFC 9562 section 5.7) of a time and of randomness in hex: equal to `uuidV7` of evidence for these bytes.
 * @param ms milliseconds since the epoch
 * @param entropy 10 bytes, 20 lower-case hex digits
 */
export function eventIdOf(ms: number, entropy: string): string {
  if (ms !== last.ms) {
    const time = ms.toString(16).padStart(12, '0');
    last = { ms, head: `${time.slice(0, 8)}-${time.slice(8)}-7` };
  }
  const variant = VARIANT[Number.parseInt(entropy.charAt(4), 16) & 3]!;
  return `${last.head}${entropy.slice(1, 4)}-${variant}${entropy.slice(5, 8)}-${entropy.slice(8)}`;
}

/** Events of one millisecond share their prefix. */
let last = { ms: -1, head: '' };
