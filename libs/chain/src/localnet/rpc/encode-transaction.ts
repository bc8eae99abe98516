import { encodeBase58 } from '../../base58.js';
import type { WireTransaction } from '../bank/wire.js';
import type { LandedTransaction } from '../ledger/rows.js';
import { invalidParams } from './rpc-error.js';

/** A transaction in one of the encodings of `getTransaction`. @throws RpcError for another encoding */
export function encodeTransaction(transaction: WireTransaction, landed: LandedTransaction, encoding: unknown): unknown {
  switch (encoding) {
    case 'base64':
      return [Buffer.from(landed.wire).toString('base64'), 'base64'];
    case 'base58':
      return [encodeBase58(landed.wire), 'base58'];
    case undefined:
    case null:
    case 'json':
      return { signatures: transaction.signatures, message: jsonMessage(transaction) };
    default:
      throw invalidParams(`Invalid params: encoding ${JSON.stringify(encoding)} is not supported`);
  }
}

/** The result of its execution. */
export function encodeMeta(landed: LandedTransaction): unknown {
  const { fee, preBalances, postBalances, innerInstructions, loadedAddresses, unitsConsumed, returnData } =
    landed.detail;
  return {
    err: landed.failure,
    status: landed.failure === null ? { Ok: null } : { Err: landed.failure },
    fee,
    preBalances,
    postBalances,
    innerInstructions,
    logMessages: landed.logs,
    preTokenBalances: [],
    postTokenBalances: [],
    rewards: [],
    loadedAddresses,
    computeUnitsConsumed: unitsConsumed,
    ...(returnData === null ? {} : { returnData }),
  };
}

function jsonMessage(transaction: WireTransaction): unknown {
  return {
    header: {
      numRequiredSignatures: transaction.requiredSignatures,
      numReadonlySignedAccounts: transaction.readonlySigned,
      numReadonlyUnsignedAccounts: transaction.readonlyUnsigned,
    },
    accountKeys: transaction.keys,
    recentBlockhash: transaction.blockhash,
    instructions: transaction.instructions.map(({ programIdIndex, accounts, data }) => ({
      programIdIndex,
      accounts,
      data: encodeBase58(data),
      stackHeight: null,
    })),
    ...lookupsOf(transaction),
  };
}

function lookupsOf({ version, lookups }: WireTransaction): Record<string, unknown> {
  if (version === 'legacy') return {};
  return {
    addressTableLookups: lookups.map(({ table, writable, readonly }) => ({
      accountKey: table,
      writableIndexes: writable,
      readonlyIndexes: readonly,
    })),
  };
}
