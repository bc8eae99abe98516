import { Keypair, MessageV0, PublicKey, VersionedTransaction } from '@solana/web3.js';
import type { Connection } from '@solana/web3.js';
import { encodeBase58 } from '../base58.js';
import { MEMO_PROGRAM_ID } from '../port.js';
import { finalizedTransaction } from './read-transaction.js';

const [payer, authority] = [Keypair.generate(), Keypair.generate()];
const MEMO = 'what both signed';

function signedByBoth(): VersionedTransaction {
  const transaction = new VersionedTransaction(
    MessageV0.compile({
      payerKey: payer.publicKey,
      recentBlockhash: encodeBase58(Buffer.alloc(32, 7)),
      instructions: [
        {
          programId: new PublicKey(MEMO_PROGRAM_ID),
          keys: [{ pubkey: authority.publicKey, isSigner: true, isWritable: false }],
          data: Buffer.from(MEMO),
        },
      ],
    }),
  );
  transaction.sign([payer, authority]);
  return transaction;
}

/** A node that shows the transaction with these signatures. */
function nodeWith({ message }: VersionedTransaction, signatures: readonly string[]): Connection {
  const shown = { slot: 5, blockTime: 60, meta: { err: null }, transaction: { message, signatures } };
  return {
    getTransaction: () => Promise.resolve(shown),
    getBlock: () => Promise.resolve({ blockHeight: 4 }),
    getBlockHeight: () => Promise.resolve(9),
  } as unknown as Connection;
}

describe('a transaction with several required signers', () => {
  const transaction = signedByBoth();
  const [first, second] = transaction.signatures.map(encodeBase58) as [string, string];

  it('has them as signers, the first as payer', async () => {
    expect(await finalizedTransaction(nodeWith(transaction, [first, second]), first)).toMatchObject({
      signers: [payer.publicKey.toBase58(), authority.publicKey.toBase58()],
      feePayer: payer.publicKey.toBase58(),
      memos: [MEMO],
      confirmations: 5,
    });
  });

  it.each([
    ['one did not sign', [first, encodeBase58(Buffer.alloc(64))]],
    ['one is said to have signed with the signature of another', [first, first]],
    ['not all signatures are shown', [first]],
    ['more signatures are shown', [first, second, second]],
    ['the first is not the one that was asked for', [second, first]],
    ['none is shown', []],
  ])('is not trusted where %s', async (_what, signatures) => {
    const shown = finalizedTransaction(nodeWith(transaction, signatures), first);
    await expect(shown).rejects.toMatchObject({ name: 'ChainUnavailable', reason: 'node-unhealthy' });
  });
});
