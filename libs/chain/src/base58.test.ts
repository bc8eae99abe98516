import fc from 'fast-check';
import { decodeBase58, encodeBase58, isBase58Of } from './base58.js';

describe('base58', () => {
  it('gives every byte string back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(decodeBase58(encodeBase58(bytes))).toEqual(bytes);
      }),
    );
  });

  it('agrees with known encodings', () => {
    expect(encodeBase58(new TextEncoder().encode('Hello World!'))).toBe('2NEpo7TZRRrLZSi2U');
    expect(encodeBase58(Uint8Array.from([0, 0, 0x28, 0x7f, 0xb4, 0xcd]))).toBe('11233QC4');
    expect(encodeBase58(new Uint8Array(32))).toBe('1'.repeat(32));
  });

  it.each(['0', 'O', 'I', 'l', 'a b', '+', 'é', '1'.repeat(3000)])('refuses %p', (text) => {
    expect(decodeBase58(text)).toBeNull();
  });

  it('knows the length of the bytes', () => {
    expect(isBase58Of('1'.repeat(32), 32)).toBe(true);
    expect(isBase58Of('1'.repeat(31), 32)).toBe(false);
    expect(isBase58Of('1'.repeat(64), 64)).toBe(true);
    expect(isBase58Of('z'.repeat(10_000), 64)).toBe(false);
  });
});
