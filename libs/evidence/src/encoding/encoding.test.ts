import fc from 'fast-check';
import { nodeCrypto } from '../../vectors/node-crypto.mjs';
import { fromBase64, fromBase64Url, isCanonicalBase64, isSalt, toBase64, toBase64Url } from './base64.js';
import { fromHex, isHash, sameBytes, toHex } from './hex.js';
import { isInstant, isoDuration, parseIsoDuration, parseTime } from './time.js';
import { isUuid, isUuidV7, uuidV7 } from './uuid.js';

const anyBytes = fc.uint8Array({ maxLength: 100 });

describe('hex and base64', () => {
  it('are written as Node writes them and read back', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const node = Buffer.from(bytes);
        expect(toHex(bytes)).toBe(node.toString('hex'));
        expect(toBase64(bytes)).toBe(node.toString('base64'));
        expect(toBase64Url(bytes)).toBe(node.toString('base64url'));
        expect(fromHex(toHex(bytes))).toEqual(bytes);
        expect(fromBase64(toBase64(bytes))).toEqual(bytes);
        expect(fromBase64Url(toBase64Url(bytes))).toEqual(bytes);
      }),
    );
  });

  it('have one form: accepted text is written back unchanged', () => {
    const text = fc.string({ unit: fc.constantFrom(...'AZaz09+/-_= \n') });
    fc.assert(
      fc.property(text, (given) => {
        const standard = fromBase64(given);
        if (standard !== null) expect(toBase64(standard)).toBe(given);
        const urlSafe = fromBase64Url(given);
        if (urlSafe !== null) expect(toBase64Url(urlSafe)).toBe(given);
      }),
      { numRuns: 2000 },
    );
    for (const loose of ['AB==', 'AAB=', 'A===', 'AA', 'AAA', '====', 'AA==AA==', 'AAA\n']) {
      expect([loose, isCanonicalBase64(loose)]).toEqual([loose, false]);
    }
    for (const odd of ['0', 'AB', '0g', 'é0']) expect(fromHex(odd)).toBeNull();
  });

  it('distinguish hashes and salts by their form', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        expect(isSalt(toBase64Url(bytes))).toBe(true);
      }),
    );
    expect(isSalt('AAAAAAAAAAAAAAAAAAAAAB')).toBe(false);
    expect(isSalt(1)).toBe(false);
    expect(isHash('0'.repeat(64))).toBe(true);
    expect(['0'.repeat(63), 'A'.repeat(64), null].some(isHash)).toBe(false);
    expect(sameBytes(Uint8Array.of(1), Uint8Array.of(1, 2))).toBe(false);
  });
});

describe('uuidV7', () => {
  it('holds the time first and the version and variant bits in their places', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 48 - 1 }),
        fc.uint8Array({ minLength: 10, maxLength: 10 }),
        (ms, random) => {
          const id = uuidV7(ms, random);
          expect(isUuidV7(id) && isUuid(id)).toBe(true);
          expect(parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(ms);
        },
      ),
    );
  });

  it('orders by time and refuses other arguments', () => {
    const random = new Uint8Array(10).fill(255);
    expect(uuidV7(1, random) < uuidV7(2, new Uint8Array(10))).toBe(true);
    expect(uuidV7(0, random)).toBe('00000000-0000-7fff-bfff-ffffffffffff');
    for (const ms of [-1, 2 ** 48, 0.5]) expect(() => uuidV7(ms, random)).toThrow(RangeError);
    expect(() => uuidV7(0, random.slice(1))).toThrow(RangeError);
    expect(isUuidV7('00000000-0000-4000-8000-000000000000')).toBe(false);
    expect(isUuid('00000000-0000-4000-8000-00000000000A')).toBe(false);
  });
});

describe('time', () => {
  it('takes instants in one form', () => {
    const date = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });
    fc.assert(fc.property(date, (at) => expect(isInstant(at.toISOString())).toBe(true)));
    for (const other of [
      '2026-02-30T00:00:00.000Z',
      '2026-01-01T24:00:00.000Z',
      '2026-01-01T00:00:00Z',
      '2026-01-01',
      1,
    ]) {
      expect([other, isInstant(other)]).toEqual([other, false]);
    }
  });

  it('reads any ISO 8601 time with a zone whose day the calendar has', () => {
    expect(parseTime('2026-03-01T01:00:00+01:00')).toBe(Date.UTC(2026, 2, 1));
    expect(parseTime('2024-02-29T00:00:00.123456Z')).toBe(Date.UTC(2024, 1, 29, 0, 0, 0, 123));
    for (const none of [
      '2026-02-30T00:00:00Z',
      '2026-02-29T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-04-31T00:00:00Z',
      'x',
      '',
    ]) {
      expect([none, parseTime(none)]).toEqual([none, null]);
    }
  });

  it('writes durations in the largest whole unit and reads only those', () => {
    expect([1, 300, 3600, 90, 5400, 86_400].map(isoDuration)).toEqual([
      'PT1S',
      'PT5M',
      'PT1H',
      'PT90S',
      'PT90M',
      'PT24H',
    ]);
    fc.assert(fc.property(fc.integer({ min: 1, max: 1e9 }), (s) => expect(parseIsoDuration(isoDuration(s))).toBe(s)));
    for (const other of ['PT60S', 'PT0S', 'PT60M', 'P1D', 'PT01S', 'pt1s', 'PT9007199254740993S', '']) {
      expect([other, parseIsoDuration(other)]).toEqual([other, null]);
    }
    for (const seconds of [0, -1, 0.5, Infinity]) expect(() => isoDuration(seconds)).toThrow(RangeError);
  });
});

describe('the crypto of these tests', () => {
  it('is SHA-256', () => {
    expect(toHex(nodeCrypto.sha256(new Uint8Array(0)))).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
  });
});
