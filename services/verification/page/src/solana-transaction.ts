import type { EvidenceLibrary } from './evidence-library.js';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const MEMO_PROGRAMS = new Set([
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
]);

/** Base58 as Solana writes addresses and signatures. */
export function base58(bytes: Uint8Array): string {
  let number = 0n;
  for (const byte of bytes) number = number * 256n + BigInt(byte);
  let text = '';
  for (; number > 0n; number /= 58n) text = ALPHABET[Number(number % 58n)]! + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text;
}

export interface SignedTransaction {
  readonly signature: string;
  /** Addresses; the first paid. The signature of each was verified. */
  readonly signers: readonly string[];
  readonly memos: readonly string[];
}

/**
 * Reads a transaction from its bytes on the wire (legacy or version 0). Who signed and what it says is not taken on the
 * node's word: the first signature must be the payer's over the message, and each that is required its signer's. `null`
 * where one is not, or the form is another.
 */
export function readTransaction(wire: Uint8Array, { browserCrypto }: EvidenceLibrary): SignedTransaction | null {
  const reader = new Reader(wire);
  try {
    const signatures = Array.from({ length: reader.length() }, () => reader.take(64));
    const message = wire.subarray(reader.at);
    if (wire[reader.at]! >= 0x80) reader.take(1);
    const [required = 0] = reader.take(3);
    const keys = Array.from({ length: reader.length() }, () => reader.take(32));
    reader.take(32);
    const instructions = Array.from({ length: reader.length() }, () => {
      const [program = 0] = reader.take(1);
      reader.take(reader.length());
      return { program, data: reader.take(reader.length()) };
    });
    const [first] = signatures;
    if (first === undefined || required > keys.length || signatures.length !== required) return null;
    if (!signatures.every((signature, n) => browserCrypto.ed25519Verify(keys[n]!, message, signature))) return null;
    const addresses = keys.map(base58);
    const memos = instructions
      .filter(({ program }) => MEMO_PROGRAMS.has(addresses[program] ?? ''))
      .flatMap(({ data }) => text(data));
    return { signature: base58(first), signers: addresses.slice(0, required), memos };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function text(bytes: Uint8Array): string[] {
  try {
    return [new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)];
  } catch {
    return [];
  }
}

/**
 * Texts of a memo column as nodes list it: `[length in bytes] text`, several joined by `; `. What is not of that form ends
 * the list.
 */
export function listedMemos(column: string | null): readonly string[] {
  const texts: string[] = [];
  let rest = new TextEncoder().encode(column ?? '');
  for (;;) {
    const [head, length] = /^\[(\d{1,5})\] /.exec(latin1(rest.subarray(0, 9))) ?? [];
    if (head === undefined) return texts;
    const end = head.length + Number(length);
    if (end > rest.length) return texts;
    texts.push(new TextDecoder('utf-8', { ignoreBOM: true }).decode(rest.subarray(head.length, end)));
    if (latin1(rest.subarray(end, end + 2)) !== '; ') return texts;
    rest = rest.subarray(end + 2);
  }
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

class Reader {
  at = 0;
  readonly #bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(count: number): Uint8Array {
    if (this.at + count > this.#bytes.length) throw new RangeError('the transaction ends early');
    this.at += count;
    return this.#bytes.subarray(this.at - count, this.at);
  }

  /** Solana's compact-u16: seven bits a byte, at most three. */
  length(): number {
    let value = 0;
    for (let shift = 0; shift <= 14; shift += 7) {
      const byte = this.take(1)[0]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError('a length of more than three bytes');
  }
}
