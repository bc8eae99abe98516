import { Keypair, PublicKey } from '@solana/web3.js';
import { decodeBase58, encodeBase58 } from './base58.js';
import { MEMO_PROGRAM_ID } from './port.js';
import { isWalletAddress } from './wallet-address.js';

const address = (hex: string): string => encodeBase58(Buffer.from(hex, 'hex'));

describe('isWalletAddress', () => {
  it('takes the public key of a key pair', () => {
    for (let i = 0; i < 10; i += 1) expect(isWalletAddress(Keypair.generate().publicKey.toBase58())).toBe(true);
  });

  it('refuses addresses that programs derive, off the curve', () => {
    const program = new PublicKey(MEMO_PROGRAM_ID);
    for (const seed of ['a', 'b', 'c']) {
      const [derived] = PublicKey.findProgramAddressSync([Buffer.from(seed)], program);
      expect(isWalletAddress(derived.toBase58())).toBe(false);
    }
  });

  it.each([
    ['the address of the System program, a point of order 4', '00'.repeat(32)],
    ['the neutral point', '01' + '00'.repeat(31)],
    ['a point of order 8', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'],
    ['a y that is not reduced', 'f0' + 'ff'.repeat(30) + '7f'],
  ])('refuses %s', (_what, hex) => {
    expect(isWalletAddress(address(hex))).toBe(false);
  });

  it('refuses another length, another alphabet and another encoding of the text', () => {
    const one = Keypair.generate().publicKey;
    const bytes = decodeBase58(one.toBase58())!;
    for (const wrong of ['', 'x', encodeBase58(bytes.subarray(1)), encodeBase58(Buffer.concat([bytes, bytes]))]) {
      expect(isWalletAddress(wrong)).toBe(false);
    }
    expect(isWalletAddress(`1${one.toBase58()}`)).toBe(false);
    expect(isWalletAddress(` ${one.toBase58()}`)).toBe(false);
    expect(isWalletAddress(one.toBase58().replace(/^./, '0'))).toBe(false);
  });
});
