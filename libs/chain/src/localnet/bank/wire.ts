import { encodeBase58 } from '../../base58.js';

/** The largest transaction that fits a packet of the network. */
export const LARGEST_TRANSACTION = 1232;

export interface WireInstruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

export interface WireLookup {
  readonly table: string;
  readonly writable: readonly number[];
  readonly readonly: readonly number[];
}

/** A parsed transaction; addresses and signatures in base58. */
export interface WireTransaction {
  readonly version: 'legacy' | 0;
  readonly signatures: readonly string[];
  readonly signatureBytes: readonly Uint8Array[];
  /** The signed bytes. */
  readonly message: Uint8Array;
  readonly requiredSignatures: number;
  readonly readonlySigned: number;
  readonly readonlyUnsigned: number;
  /** The static keys, fee payer first. */
  readonly keys: readonly string[];
  readonly blockhash: string;
  readonly instructions: readonly WireInstruction[];
  readonly lookups: readonly WireLookup[];
}

/** The bytes are not one well-formed transaction. */
export class MalformedTransaction extends Error {
  override readonly name = 'MalformedTransaction';
}

/**
 * Parses a transaction (legacy or version 0) in the format of Solana's wire, strictly: canonical lengths, nothing left
 * over, every index in range. The engine ends the process on bytes that it cannot read, so nothing that this function
 * refuses may reach it.
 * @throws MalformedTransaction
 */
export function parseTransaction(bytes: Uint8Array): WireTransaction {
  if (bytes.length > LARGEST_TRANSACTION) {
    throw new MalformedTransaction(`transaction too large: ${bytes.length} bytes (max: ${LARGEST_TRANSACTION} bytes)`);
  }
  const reader = new Reader(bytes);
  const signatureBytes = reader.list(() => reader.take(64));
  const messageStart = reader.position;
  const version = readVersion(reader);
  const requiredSignatures = reader.byte();
  const readonlySigned = reader.byte();
  const readonlyUnsigned = reader.byte();
  const keys = reader.list(() => encodeBase58(reader.take(32)));
  const blockhash = encodeBase58(reader.take(32));
  const instructions = reader.list(() => ({
    programIdIndex: reader.byte(),
    accounts: reader.list(() => reader.byte()),
    data: reader.take(reader.length()),
  }));
  const lookups =
    version === 'legacy'
      ? []
      : reader.list(() => ({
          table: encodeBase58(reader.take(32)),
          writable: reader.list(() => reader.byte()),
          readonly: reader.list(() => reader.byte()),
        }));
  if (reader.position !== bytes.length) throw new MalformedTransaction('bytes are left over after the transaction');
  const transaction: WireTransaction = {
    version,
    signatures: signatureBytes.map(encodeBase58),
    signatureBytes,
    message: bytes.subarray(messageStart),
    requiredSignatures,
    readonlySigned,
    readonlyUnsigned,
    keys,
    blockhash,
    instructions,
    lookups,
  };
  sanitize(transaction);
  return transaction;
}

/** Reports whether the static key at `index` may be written. */
export function isWritable(transaction: WireTransaction, index: number): boolean {
  const { requiredSignatures, readonlySigned, readonlyUnsigned, keys } = transaction;
  return index < requiredSignatures
    ? index < requiredSignatures - readonlySigned
    : index < keys.length - readonlyUnsigned;
}

function readVersion(reader: Reader): 'legacy' | 0 {
  if ((reader.peek() & 0x80) === 0) return 'legacy';
  const version = reader.byte() & 0x7f;
  if (version !== 0) throw new MalformedTransaction(`transaction version ${version} is not supported`);
  return 0;
}

/** The checks of Solana's `sanitize`, without which an index could point outside. */
function sanitize(transaction: WireTransaction): void {
  const { keys, requiredSignatures, readonlySigned, readonlyUnsigned, signatureBytes, instructions } = transaction;
  const refuse = (why: string): never => {
    throw new MalformedTransaction(`Transaction failed to sanitize accounts offsets correctly: ${why}`);
  };
  if (requiredSignatures === 0 || signatureBytes.length !== requiredSignatures) refuse('signatures');
  if (readonlySigned >= requiredSignatures) refuse('the fee payer must be writable');
  if (requiredSignatures + readonlyUnsigned > keys.length) refuse('more read-only keys than keys');
  if (new Set(keys).size !== keys.length) refuse('an account is named twice');
  const loaded = transaction.lookups.reduce(
    (sum, { writable, readonly }) => sum + writable.length + readonly.length,
    0,
  );
  if (transaction.lookups.some(({ writable, readonly }) => writable.length + readonly.length === 0)) {
    refuse('a lookup that loads nothing');
  }
  if (keys.length + loaded > 256) refuse('more than 256 accounts');
  for (const { programIdIndex, accounts } of instructions) {
    if (programIdIndex === 0 || programIdIndex >= keys.length) refuse('program id');
    if (accounts.some((index) => index >= keys.length + loaded)) refuse('account index');
  }
}

class Reader {
  position = 0;

  constructor(private readonly bytes: Uint8Array) {}

  peek(): number {
    return this.bytes[this.position] ?? this.ended();
  }

  byte(): number {
    const value = this.peek();
    this.position += 1;
    return value;
  }

  take(length: number): Uint8Array {
    if (this.position + length > this.bytes.length) this.ended();
    const part = this.bytes.subarray(this.position, this.position + length);
    this.position += length;
    return part;
  }

  /** A compact-u16: seven bits a byte, low bits first, at most three bytes, no needless byte. */
  length(): number {
    let value = 0;
    for (let i = 0; i < 3; i++) {
      const byte = this.byte();
      value |= (byte & 0x7f) << (7 * i);
      if ((byte & 0x80) === 0) {
        if ((byte === 0 && i > 0) || value > 0xffff) break;
        return value;
      }
    }
    throw new MalformedTransaction('a length is not a canonical compact-u16');
  }

  list<T>(item: () => T): T[] {
    const length = this.length();
    if (length > this.bytes.length - this.position) this.ended();
    return Array.from({ length }, item);
  }

  private ended(): never {
    throw new MalformedTransaction('the transaction ends too early');
  }
}
