import { PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js';
import { decodeBase58, encodeBase58 } from '../base58.js';
import { privateKeyOf, rawPublicKey, signEd25519, verifyEd25519 } from '../ed25519.js';
import { ChainRejected } from '../errors.js';
import { MEMO_PROGRAM_ID } from '../port.js';
import type { LatestBlockhash, MemoSigner, PreparedTransaction } from '../port.js';
import { isWalletAddress } from '../wallet-address.js';

const LARGEST_TRANSACTION = 1232;
/** One signature and its count. */
const SIGNATURES_LENGTH = 65;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** A transaction of one memo instruction that its fee payer signs. @throws ChainRejected invalid-memo */
export function memoTransaction(memo: string, payer: PublicKey, latest: LatestBlockhash): Transaction {
  if (memo === '' || LONE_SURROGATE.test(memo)) {
    throw new ChainRejected('invalid-memo', 'A memo is a text that is not empty and has a UTF-8 form');
  }
  if (memo.length > LARGEST_TRANSACTION) throw tooLong();
  const { blockhash, lastValidBlockHeight } = latest;
  const transaction = new Transaction({ feePayer: payer, blockhash, lastValidBlockHeight }).add(
    new TransactionInstruction({
      programId: new PublicKey(MEMO_PROGRAM_ID),
      keys: [{ pubkey: payer, isSigner: true, isWritable: false }],
      data: Buffer.from(memo, 'utf8'),
    }),
  );
  if (messageOf(transaction).length + SIGNATURES_LENGTH > LARGEST_TRANSACTION) throw tooLong();
  return transaction;
}

/** @throws ChainRejected invalid-address unless base58 of 32 bytes */
export function addressOf(address: string): PublicKey {
  const bytes = address.length > 64 ? null : decodeBase58(address);
  if (bytes?.length !== 32) throw new ChainRejected('invalid-address', 'An address is 32 bytes in base58');
  return new PublicKey(bytes);
}

/** @throws ChainRejected invalid-address where no key can exist for it */
export function walletOf(address: string): PublicKey {
  if (isWalletAddress(address)) return addressOf(address);
  throw new ChainRejected('invalid-address', 'A wallet is a point of Ed25519, 32 bytes in base58');
}

/** Signs, and verifies the signature. @throws ChainRejected invalid-signer */
export async function signMemo(
  transaction: Transaction,
  signer: MemoSigner,
  latest: LatestBlockhash,
): Promise<PreparedTransaction> {
  const payer = addressOf(signer.publicKey);
  const message = messageOf(transaction);
  const signature = 'sign' in signer ? await signer.sign(message) : signWith(signer.secretKey, message);
  if (!verifyEd25519(payer.toBytes(), message, signature)) {
    throw new ChainRejected('invalid-signer', "The signer's signature does not verify with its public key");
  }
  transaction.addSignature(payer, Buffer.from(signature));
  return {
    signature: encodeBase58(signature),
    wire: transaction.serialize({ verifySignatures: false }).toString('base64'),
    blockhash: latest.blockhash,
    lastValidBlockHeight: latest.lastValidBlockHeight,
    preparedAtSlot: latest.slot,
  };
}

function signWith(secretKey: Uint8Array, message: Uint8Array): Uint8Array {
  if (secretKey.length !== 64) throw new ChainRejected('invalid-signer', 'A secret key is 64 bytes');
  const key = privateKeyOf(secretKey.subarray(0, 32));
  if (!Buffer.from(rawPublicKey(key)).equals(secretKey.subarray(32))) {
    throw new ChainRejected('invalid-signer', 'The halves of the secret key do not belong together');
  }
  return signEd25519(key, message);
}

function messageOf(transaction: Transaction): Uint8Array {
  return transaction.compileMessage().serialize();
}

function tooLong(): ChainRejected {
  return new ChainRejected('invalid-memo', `The memo does not fit a transaction of ${LARGEST_TRANSACTION} bytes`);
}
