const PREFIX = 'csn_live_';
const RANDOM_CHARACTERS = 34;
const CHECK_CHARACTERS = 6;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_CHARACTERS + CHECK_CHARACTERS}}$`);
/** The largest multiple of 62 in a byte; larger values are dropped, since they would favour the first characters. */
const UNBIASED = 248;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

/** Computes the CRC-32 (IEEE 802.3) of ASCII text, unsigned. */
export function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i += 1) {
    crc = (CRC_TABLE[(crc ^ text.charCodeAt(i)) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECK_CHARACTERS; i += 1) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/**
 * Creates an API key: `csn_live_`, 34 random base62 characters (202 bits), then the CRC-32 of all before it in base62.
 * @param random returns n cryptographically random bytes
 */
export function mintApiKey(random: (bytes: number) => Uint8Array): string {
  let body = '';
  while (body.length < RANDOM_CHARACTERS) {
    for (const byte of random(RANDOM_CHARACTERS)) {
      if (byte < UNBIASED && body.length < RANDOM_CHARACTERS) body += BASE62.charAt(byte % 62);
    }
  }
  return PREFIX + body + checksum(PREFIX + body);
}

/** Returns true if form and checksum are those of a key, so that a typo is found without a look-up. */
export function isWellFormedApiKey(text: string): boolean {
  return SHAPE.test(text) && checksum(text.slice(0, -CHECK_CHARACTERS)) === text.slice(-CHECK_CHARACTERS);
}

/** Returns the public part of a key: its first 16 characters. */
export function apiKeyPrefix(key: string): string {
  return key.slice(0, 16);
}
