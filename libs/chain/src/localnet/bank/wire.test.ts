import {
  AddressLookupTableAccount,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import fc from 'fast-check';
import { encodeBase58 } from '../../base58.js';
import { isWritable, MalformedTransaction, parseTransaction } from './wire.js';

const payer = Keypair.fromSeed(new Uint8Array(32).fill(1));
const blockhash = encodeBase58(new Uint8Array(32).fill(9));
const address = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => new PublicKey(bytes));

const instruction = fc
  .record({
    programId: address,
    keys: fc.array(fc.record({ pubkey: address, isSigner: fc.constant(false), isWritable: fc.boolean() }), {
      maxLength: 5,
    }),
    data: fc.uint8Array({ maxLength: 150 }).map((bytes) => Buffer.from(bytes)),
  })
  .map((fields) => new TransactionInstruction(fields));

function legacy(instructions: TransactionInstruction[]): Transaction {
  return new Transaction({ feePayer: payer.publicKey, blockhash, lastValidBlockHeight: 1 }).add(...instructions);
}
const unsigned = (transaction: Transaction) =>
  transaction.serialize({ requireAllSignatures: false, verifySignatures: false });
const transfer = SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: payer.publicKey, lamports: 1 });

describe('parseTransaction', () => {
  it('reads what the client library wrote', () => {
    fc.assert(
      fc.property(fc.array(instruction, { minLength: 1, maxLength: 3 }), (instructions) => {
        const transaction = legacy(instructions);
        const message = transaction.compileMessage();
        const parsed = parseTransaction(unsigned(transaction));
        expect(parsed.version).toBe('legacy');
        expect(parsed.keys).toEqual(message.accountKeys.map((key) => key.toBase58()));
        expect(parsed.blockhash).toBe(blockhash);
        expect(parsed.instructions.map(({ data }) => encodeBase58(data))).toEqual(
          message.instructions.map(({ data }) => data),
        );
        expect(parsed.keys.map((_, i) => isWritable(parsed, i))).toEqual(
          message.accountKeys.map((_, i) => message.isAccountWritable(i)),
        );
        expect(Buffer.from(parsed.message)).toEqual(message.serialize());
      }),
    );
  });

  it('reads version 0 with its lookups', () => {
    const table = new AddressLookupTableAccount({
      key: Keypair.fromSeed(new Uint8Array(32).fill(3)).publicKey,
      state: {
        deactivationSlot: 2n ** 64n - 1n,
        lastExtendedSlot: 0,
        lastExtendedSlotStartIndex: 0,
        addresses: [new PublicKey(new Uint8Array(32).fill(4)), new PublicKey(new Uint8Array(32).fill(5))],
      },
    });
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: blockhash,
      instructions: [
        SystemProgram.transfer({
          fromPubkey: payer.publicKey,
          toPubkey: table.state.addresses[1] as PublicKey,
          lamports: 1,
        }),
      ],
    }).compileToV0Message([table]);
    const parsed = parseTransaction(new VersionedTransaction(message).serialize());
    expect(parsed.version).toBe(0);
    expect(parsed.lookups).toEqual([{ table: table.key.toBase58(), writable: [1], readonly: [] }]);
  });

  it('refuses every truncation and every addition', () => {
    const bytes = unsigned(legacy([transfer]));
    for (let length = 0; length < bytes.length; length++) {
      expect(() => parseTransaction(bytes.subarray(0, length))).toThrow(MalformedTransaction);
    }
    expect(() => parseTransaction(Buffer.concat([bytes, Buffer.from([0])]))).toThrow(MalformedTransaction);
    expect(() => parseTransaction(new Uint8Array(1233))).toThrow(/too large/);
  });

  it('throws nothing but its own error, whatever the bytes', () => {
    const bytes = unsigned(legacy([transfer]));
    const changes = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(changes, (edits) => {
        const changed = Uint8Array.from(bytes);
        for (const [at, value] of edits) changed[at] = value;
        try {
          const parsed = parseTransaction(changed);
          expect(parsed.signatures).toHaveLength(parsed.requiredSignatures);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedTransaction);
        }
      }),
      { numRuns: 500 },
    );
  });
});
