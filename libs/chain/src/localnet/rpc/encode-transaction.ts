import { encodeBase58 } from '../../base58.js';
import { isMemoProgram, utf8 } from '../../memo.js';
import { isWritable } from '../bank/wire.js';
import type { WireInstruction, WireTransaction } from '../bank/wire.js';
import type { LandedTransaction } from '../ledger/rows.js';
import { invalidParams } from './rpc-error.js';

const SYSTEM_PROGRAM = '11111111111111111111111111111111';

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
    case 'jsonParsed':
      return { signatures: transaction.signatures, message: parsedMessage(transaction, landed) };
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

function parsedMessage(transaction: WireTransaction, landed: LandedTransaction): unknown {
  const { keys, requiredSignatures } = transaction;
  const writableLoaded = landed.detail.loadedAddresses.writable.length;
  return {
    accountKeys: landed.accounts.map((pubkey, i) => ({
      pubkey,
      signer: i < requiredSignatures,
      writable: i < keys.length ? isWritable(transaction, i) : i < keys.length + writableLoaded,
      source: i < keys.length ? 'transaction' : 'lookupTable',
    })),
    recentBlockhash: transaction.blockhash,
    instructions: transaction.instructions.map((instruction) => parsedInstruction(instruction, landed.accounts)),
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

/** Memos and lamport transfers are parsed; any other instruction is returned unparsed. */
function parsedInstruction(instruction: WireInstruction, addresses: readonly string[]): unknown {
  const programId = addresses[instruction.programIdIndex] ?? '';
  const accounts = instruction.accounts.map((index) => addresses[index] ?? '');
  const data = Buffer.from(instruction.data);
  if (isMemoProgram(programId)) {
    const text = utf8(data);
    if (text !== null) return { program: 'spl-memo', programId, parsed: text, stackHeight: null };
  }
  if (programId === SYSTEM_PROGRAM && data.length === 12 && data.readUInt32LE(0) === 2 && accounts.length >= 2) {
    const lamports = Number(data.readBigUInt64LE(4));
    const parsed = { type: 'transfer', info: { source: accounts[0], destination: accounts[1], lamports } };
    return { program: 'system', programId, parsed, stackHeight: null };
  }
  return { programId, accounts, data: encodeBase58(data), stackHeight: null };
}
