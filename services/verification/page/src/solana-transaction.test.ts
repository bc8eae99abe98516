import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import * as library from '@countersign/evidence/browser';
import { base58, readTransaction } from './solana-transaction.js';

const raw = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' }).subarray(-32);
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const payer = raw(publicKey);
/** MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr */
const MEMO_PROGRAM = Buffer.from('054a535a992921064d24e87160da387c7c35b5ddbc92bb81e41fa8404105448d', 'hex');
const MEMO = 'countersign/1 report=00';

function message({ memo = MEMO, program = MEMO_PROGRAM, version = [] as number[] } = {}): Buffer {
  const data = Buffer.from(memo);
  const head = Buffer.from([...version, 1, 0, 1, 2]);
  const instruction = Buffer.from([1, 1, 1, 0, (data.length & 0x7f) | (data.length > 127 ? 0x80 : 0)]);
  const more = data.length > 127 ? Buffer.from([data.length >> 7]) : Buffer.alloc(0);
  return Buffer.concat([head, payer, program, Buffer.alloc(32, 7), instruction, more, data]);
}

function wire(body: Buffer, signature = sign(null, body, privateKey)): Uint8Array {
  return new Uint8Array(Buffer.concat([Buffer.from([1]), signature, body]));
}

describe('a transaction as a node gives it', () => {
  it.each([
    ['legacy', {}],
    ['version 0', { version: [0x80] }],
    ['a long memo', { memo: 'm'.repeat(200) }],
  ])('is read from its bytes: %s', (_name, parts) => {
    const body = message(parts);
    const signature = sign(null, body, privateKey);
    expect(readTransaction(wire(body), library)).toEqual({
      signature: base58(new Uint8Array(signature)),
      signers: [base58(new Uint8Array(payer))],
      memos: [('memo' in parts && parts.memo) || MEMO],
    });
  });

  it('has no memo of another program', () => {
    expect(readTransaction(wire(message({ program: Buffer.alloc(32, 3) })), library)?.memos).toEqual([]);
  });

  it('is none where the payer did not sign these bytes, or they end early', () => {
    const other = sign(null, message({ memo: 'another' }), privateKey);
    expect(readTransaction(wire(message(), other), library)).toBeNull();
    const whole = wire(message());
    for (let length = 0; length < whole.length; length += 1) {
      expect(readTransaction(whole.subarray(0, length), library)).toBeNull();
    }
  });

  it('is none where another who had to sign did not, whatever the node shows', () => {
    const other = generateKeyPairSync('ed25519');
    const memo = Buffer.from([2, 1, 1, MEMO.length, ...Buffer.from(MEMO)]);
    const keys = [payer, raw(other.publicKey), MEMO_PROGRAM];
    const body = Buffer.concat([Buffer.from([2, 1, 1, 3]), ...keys, Buffer.alloc(32, 7), Buffer.from([1]), memo]);
    const first = sign(null, body, privateKey);
    const shown = (...signatures: Buffer[]) =>
      readTransaction(new Uint8Array(Buffer.concat([Buffer.from([signatures.length]), ...signatures, body])), library);
    expect(shown(first, sign(null, body, other.privateKey))).toMatchObject({
      signers: [payer, raw(other.publicKey)].map((key) => base58(new Uint8Array(key))),
      memos: [MEMO],
    });
    for (const signatures of [[first], [first, first], [first, Buffer.alloc(64)]]) {
      expect(shown(...signatures)).toBeNull();
    }
  });

  it('has addresses in base58, zeros in front as ones', () => {
    expect(base58(new Uint8Array(32))).toBe('1'.repeat(32));
    expect(base58(new Uint8Array(MEMO_PROGRAM))).toBe('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
    expect(base58(Uint8Array.of(0, 0, 1))).toBe('112');
  });
});
