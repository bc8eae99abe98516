import { readFileSync } from 'node:fs';
import { createPublicKey } from 'node:crypto';
import nacl from 'tweetnacl';
import { nodeCrypto, seededKey } from '../../vectors/node-crypto.mjs';
import { fromHex, toHex } from '../encoding/hex.js';
import { utf8 } from '../encoding/text.js';
import { refuseEd25519, verifyEd25519 } from './ed25519.js';
import { isKeyId, keyId, publicKeyFromPem, publicKeyToPem } from './public-key.js';

const FILE = new URL('../../vectors/public/ed25519/wycheproof-ed25519.json', import.meta.url);

const VERIFIERS = {
  'node:crypto': nodeCrypto.ed25519Verify,
  tweetnacl: (key: Uint8Array, message: Uint8Array, signature: Uint8Array) =>
    nacl.sign.detached.verify(message, signature, key),
};

interface Group {
  readonly publicKey: { readonly pk: string };
  readonly publicKeyPem: string;
  readonly tests: readonly {
    readonly tcId: number;
    readonly msg: string;
    readonly sig: string;
    readonly result: string;
  }[];
}

describe('the vectors of Wycheproof', () => {
  const groups = (JSON.parse(readFileSync(FILE, 'utf8')) as { readonly testGroups: readonly Group[] }).testGroups;

  it.each(Object.entries(VERIFIERS))('are judged as they say, verified by %s', (_name, verify) => {
    let seen = 0;
    for (const { publicKey, tests } of groups) {
      for (const { tcId, msg, sig, result } of tests) {
        const valid = verifyEd25519(fromHex(publicKey.pk)!, fromHex(msg)!, fromHex(sig)!, verify);
        expect([tcId, valid]).toEqual([tcId, result === 'valid']);
        seen += 1;
      }
    }
    expect(seen).toBe(151);
  });

  it('give keys that survive PEM', () => {
    for (const { publicKey, publicKeyPem } of groups) {
      const raw = publicKeyFromPem(publicKeyPem);
      expect(toHex(raw!)).toBe(publicKey.pk);
      expect(publicKeyFromPem(publicKeyToPem(raw!))).toEqual(raw);
    }
  });
});

describe('verifyEd25519', () => {
  const key = seededKey(new Uint8Array(32).fill(1));
  const message = utf8('message');
  const signature = key.sign(message);
  const never = (): boolean => {
    throw new Error('must not be asked');
  };

  it('calls the verifier only where nothing is doubtful', () => {
    expect(verifyEd25519(key.publicKey, message, signature, nodeCrypto.ed25519Verify)).toBe(true);
    expect(verifyEd25519(key.publicKey, utf8('Message'), signature, nodeCrypto.ed25519Verify)).toBe(false);
  });

  it('refuses small orders, unreduced numbers and wrong lengths, whatever the verifier returns', () => {
    const small = [
      '0100000000000000000000000000000000000000000000000000000000000000',
      '0100000000000000000000000000000000000000000000000000000000000080',
      'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
      '0000000000000000000000000000000000000000000000000000000000000000',
      '0000000000000000000000000000000000000000000000000000000000000080',
      '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
      '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
      // The same points with y at or above the field's prime.
      'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
      'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
      'f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    ].map((hex) => fromHex(hex)!);
    for (const point of small) {
      expect(refuseEd25519(point, signature)).toBe('key-encoding');
      const r = new Uint8Array([...point, ...signature.subarray(32)]);
      expect(refuseEd25519(key.publicKey, r)).toBe('r-encoding');
      expect(verifyEd25519(point, message, signature, never)).toBe(false);
    }
    // S + L: the same signature for a verifier that does not check the range.
    const order = fromHex('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010')!;
    const malleated = signature.slice();
    let carry = 0;
    for (let i = 0; i < 32; i += 1) {
      carry += malleated[32 + i]! + order[i]!;
      malleated[32 + i] = carry & 255;
      carry >>= 8;
    }
    expect(VERIFIERS.tweetnacl(key.publicKey, message, malleated)).toBe(true);
    expect(refuseEd25519(key.publicKey, malleated)).toBe('s-range');
    expect(refuseEd25519(key.publicKey.slice(1), signature)).toBe('key-length');
    expect(refuseEd25519(key.publicKey, signature.slice(1))).toBe('signature-length');
  });
});

describe('public keys', () => {
  const { publicKey } = seededKey(new Uint8Array(32).fill(2));

  it('are named by their hash and written as Node writes them', () => {
    const id = keyId(publicKey, nodeCrypto.sha256);
    expect(id).toBe(`key_${toHex(nodeCrypto.sha256(publicKey)).slice(0, 16)}`);
    expect(isKeyId(id)).toBe(true);
    expect([id.toUpperCase(), 'key_', `${id}0`, 1].some(isKeyId)).toBe(false);
    const pem = publicKeyToPem(publicKey);
    expect(createPublicKey(pem).export({ format: 'pem', type: 'spki' })).toBe(pem);
    expect(publicKeyFromPem(pem.replaceAll('\n', '\r\n'))).toEqual(publicKey);
    expect(() => publicKeyToPem(publicKey.slice(1))).toThrow(RangeError);
  });

  it('are refused in any other encoding', () => {
    const pem = publicKeyToPem(publicKey);
    expect(publicKeyFromPem('')).toBeNull();
    expect(publicKeyFromPem(pem.replace('PUBLIC', 'PRIVATE'))).toBeNull();
    expect(publicKeyFromPem(pem.replace('MCow', 'MCox'))).toBeNull();
    expect(publicKeyFromPem(pem.replace('=', ''))).toBeNull();
    expect(publicKeyFromPem('-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n')).toBeNull();
  });
});

describe('the form of keys and signatures', () => {
  it('is judged without changing them, also when they are Node Buffers', () => {
    const key = Buffer.alloc(32, 0x99);
    const signature = Buffer.concat([Buffer.alloc(32, 0x99), Buffer.alloc(32, 0x01)]);
    const before = [key.toString('hex'), signature.toString('hex')];
    expect(refuseEd25519(key, signature)).toBeNull();
    expect([key.toString('hex'), signature.toString('hex')]).toEqual(before);
  });
});
