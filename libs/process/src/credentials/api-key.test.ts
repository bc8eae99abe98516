import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { apiKeyPrefix, crc32, isWellFormedApiKey, mintApiKey } from './api-key.js';

/** Deterministic bytes: SHA-256 of a seed and a counter. */
function bytesFrom(seed: string): (count: number) => Uint8Array {
  let round = 0;
  return (count) => {
    const blocks: Buffer[] = [];
    for (let size = 0; size < count; size += 32) {
      blocks.push(createHash('sha256').update(`${seed}/${round++}`).digest());
    }
    return Buffer.concat(blocks).subarray(0, count);
  };
}

describe('API keys', () => {
  it('computes CRC-32 as IEEE 802.3 does', () => {
    expect(crc32('123456789')).toBe(0xcbf43926);
    expect(crc32('')).toBe(0);
  });

  it('ends in the zero-padded base62 checksum of all before it', () => {
    fc.assert(
      fc.property(fc.string(), (seed) => {
        const key = mintApiKey(bytesFrom(seed));
        expect(key).toMatch(/^csn_live_[0-9A-Za-z]{40}$/);
        expect(isWellFormedApiKey(key)).toBe(true);
        const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
        const value = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
        expect(value).toBe(crc32(key.slice(0, -6)));
      }),
    );
  });

  it('finds every single wrong character', () => {
    const key = mintApiKey(bytesFrom('a'));
    for (let i = 0; i < key.length; i += 1) {
      const other = key[i] === 'x' ? 'y' : 'x';
      expect(isWellFormedApiKey(key.slice(0, i) + other + key.slice(i + 1))).toBe(false);
    }
  });

  it('refuses what is longer, shorter or has white space', () => {
    const key = mintApiKey(bytesFrom('b'));
    for (const text of [`${key}\n`, ` ${key}`, key.slice(1), `${key}0`, '', 'csn_live_']) {
      expect(isWellFormedApiKey(text)).toBe(false);
    }
  });

  it('does not favour a character although a byte is no multiple of 62', () => {
    const everyByte = Uint8Array.from({ length: 256 }, (_, i) => 255 - i);
    const body = mintApiKey(() => everyByte).slice(9, 43);
    expect(body.startsWith('zyx')).toBe(true);
  });

  it('shows the first sixteen characters', () => {
    expect(apiKeyPrefix('csn_live_0123456789')).toBe('csn_live_0123456');
  });
});
