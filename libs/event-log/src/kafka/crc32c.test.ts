import { crc32c } from './crc32c.js';

const of = (bytes: Uint8Array) => crc32c(bytes, 0, bytes.length);

describe('CRC-32C', () => {
  it('gives the values of RFC 3720, appendix B.4', () => {
    expect(of(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(of(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
    expect(of(Uint8Array.from({ length: 32 }, (_, n) => n))).toBe(0x46dd794e);
    expect(of(Uint8Array.from({ length: 32 }, (_, n) => 31 - n))).toBe(0x113fdb5c);
    expect(of(Buffer.from('123456789'))).toBe(0xe3069283);
  });

  it('sees only the bytes between its bounds', () => {
    const bytes = Buffer.from('xx123456789yyy');
    expect(crc32c(bytes, 2, 11)).toBe(0xe3069283);
  });
});
