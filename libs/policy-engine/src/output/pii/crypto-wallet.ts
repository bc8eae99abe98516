import { sha256 } from '@noble/hashes/sha2.js';
import { isAlphanumeric, runEnd } from './characters.js';

const LEAST_CHARACTERS = 26;
const MOST_CHARACTERS = 128;
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE58_DIGITS = Int8Array.from({ length: 128 }, (_, code) => BASE58.indexOf(String.fromCharCode(code)));
const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const BECH32_PREFIXES = /^(?:bc1|tb1|ltc1|addr1|stake1|cosmos1)/;
const ETHEREUM = /^0[xX][0-9a-fA-F]{40}$/;
const BECH32_CHECK = 1;
const BECH32M_CHECK = 0x2bc830a3;
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3] as const;

/**
 * Wallet addresses: Ethereum and its like (`0x`, 20 bytes), Base58Check (Bitcoin, Litecoin, Dogecoin, Tron) and Bech32
 * (BIP 173, BIP 350) by their checksums, and Solana's (Base58, 32 bytes).
 */
export function cryptoWalletEnd(text: string, at: number): number {
  if (!isAlphanumeric(text.charCodeAt(at + LEAST_CHARACTERS - 1))) return 0;
  const end = runEnd(text, at, MOST_CHARACTERS + 1, isAlphanumeric);
  const length = end - at;
  return length >= LEAST_CHARACTERS && length <= MOST_CHARACTERS && isWallet(text.slice(at, end)) ? end : 0;
}

function isWallet(word: string): boolean {
  if (ETHEREUM.test(word)) return true;
  const lower = word.toLowerCase();
  if (BECH32_PREFIXES.test(lower)) return (word === lower || word === word.toUpperCase()) && isBech32(lower);
  if (word.length > 44) return false;
  const bytes = base58Bytes(word);
  if (bytes === null) return false;
  if (bytes.length === 25) return isChecked(bytes);
  return bytes.length === 32 && /\d/.test(word) && /[a-z]/.test(word) && /[A-Z]/.test(word);
}

/** 44 digits of base 58 fit into 33 bytes. */
const decoded = new Uint8Array(33);

function base58Bytes(word: string): Uint8Array | null {
  let length = 0;
  let zeros = 0;
  for (let i = 0; i < word.length; i += 1) {
    const digit = BASE58_DIGITS[word.charCodeAt(i)]!;
    if (digit < 0) return null;
    if (digit === 0 && i === zeros) zeros += 1;
    let carry = digit;
    for (let byte = 0; byte < length || carry > 0; byte += 1) {
      if (byte === decoded.length) return null;
      carry += byte < length ? decoded[byte]! * 58 : 0;
      decoded[byte] = carry & 255;
      carry >>= 8;
      if (byte === length) length += 1;
    }
  }
  const bytes = new Uint8Array(zeros + length);
  for (let i = 0; i < length; i += 1) bytes[zeros + i] = decoded[length - 1 - i]!;
  return bytes;
}

/** Reports whether the last four bytes are the first of the doubled SHA-256 of the others. */
function isChecked(bytes: Uint8Array): boolean {
  const check = sha256(sha256(bytes.subarray(0, 21)));
  return bytes.subarray(21).every((byte, index) => byte === check[index]);
}

function isBech32(word: string): boolean {
  const split = word.lastIndexOf('1');
  let check = 1;
  for (let i = 0; i < split; i += 1) check = step(check, word.charCodeAt(i) >> 5);
  check = step(check, 0);
  for (let i = 0; i < split; i += 1) check = step(check, word.charCodeAt(i) & 31);
  for (let i = split + 1; i < word.length; i += 1) {
    const value = BECH32.indexOf(word.charAt(i));
    if (value < 0) return false;
    check = step(check, value);
  }
  return word.length - split > 7 && (check === BECH32_CHECK || check === BECH32M_CHECK);
}

function step(check: number, value: number): number {
  const top = check >>> 25;
  let next = ((check & 0x1ffffff) << 5) ^ value;
  for (let i = 0; i < 5; i += 1) if (((top >> i) & 1) === 1) next ^= GENERATORS[i]!;
  return next;
}
