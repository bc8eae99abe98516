import type { Connection, VersionedMessage } from '@solana/web3.js';
import { decodeBase58 } from '../base58.js';
import { verifyEd25519 } from '../ed25519.js';
import { ChainUnavailable } from '../errors.js';
import { memoTexts } from '../memo.js';
import type { ChainTransaction } from '../port.js';

/**
 * `null` unless it is finalized. Signers and memos are not taken on trust from the node: the signature is the fee
 * payer's over the whole message, and is verified here, as are those of all other required signers.
 * @throws ChainUnavailable when the node does not know its result, or shows another transaction than the requested one
 */
export async function finalizedTransaction(
  connection: Connection,
  signature: string,
): Promise<ChainTransaction | null> {
  const found = await connection.getTransaction(signature, {
    commitment: 'finalized',
    maxSupportedTransactionVersion: 0,
  });
  if (found === null) return null;
  if (found.meta === null)
    throw new ChainUnavailable('node-unhealthy', "The node does not know the transaction's fate");
  const { message, signatures } = found.transaction;
  if (signatures[0] !== signature || !allSigned(message, signatures)) {
    throw new ChainUnavailable('node-unhealthy', 'The node shows a transaction that does not bear this signature');
  }
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  const signers = keys.slice(0, message.header.numRequiredSignatures);
  const instructions = message.compiledInstructions.map(({ programIdIndex, data }) => ({
    programId: keys[programIdIndex] ?? '',
    data,
  }));
  const blockHeight = await heightOf(connection, found.slot);
  const newest = blockHeight === null ? null : await connection.getBlockHeight('finalized');
  return {
    signature,
    slot: found.slot,
    blockHeight,
    blockTime: found.blockTime ?? null,
    succeeded: found.meta.err === null,
    signers,
    feePayer: signers[0] ?? '',
    memos: memoTexts(instructions),
    confirmations: blockHeight === null || newest === null ? null : Math.max(0, newest - blockHeight),
  };
}

function allSigned(message: VersionedMessage, signatures: readonly string[]): boolean {
  const { numRequiredSignatures: required } = message.header;
  const signers = message.staticAccountKeys.slice(0, required);
  if (required < 1 || signers.length !== required || signatures.length !== required) return false;
  const bytes = message.serialize();
  return signers.every((signer, n) => {
    const signed = decodeBase58(signatures[n]!);
    return signed !== null && verifyEd25519(signer.toBytes(), bytes, signed);
  });
}

/** `null` when the node no longer has the block: nodes prune, and then answer with an error. */
async function heightOf(connection: Connection, slot: number): Promise<number | null> {
  try {
    const block = await connection.getBlock(slot, {
      commitment: 'finalized',
      transactionDetails: 'none',
      rewards: false,
      maxSupportedTransactionVersion: 0,
    });
    return (block as { readonly blockHeight?: number | null } | null)?.blockHeight ?? null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'number') return null;
    throw error;
  }
}
