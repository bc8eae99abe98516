import { messageOf } from '@countersign/async';
import { decodeBase58, isBase58Of } from '../../base58.js';
import type { Commitment } from '../../port.js';
import type { WireTransaction } from '../bank/wire.js';
import { LARGEST_TRANSACTION, parseTransaction } from '../bank/wire.js';
import { invalidParams } from './rpc-error.js';

/** The positional parameters of one call, read with an error for the client where they do not fit. */
export type Params = readonly unknown[];
export type Config = Readonly<Record<string, unknown>>;

export function configAt(params: Params, index: number): Config {
  const value = params[index];
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalidParams(`Invalid params: [${index}] must be a map`);
  return value as Config;
}

export function stringAt(params: Params, index: number, what: string): string {
  const value = params[index];
  if (typeof value !== 'string') throw invalidParams(`Invalid params: ${what} must be a string`);
  return value;
}

export function countAt(params: Params, index: number, what: string): number {
  const value = params[index];
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw invalidParams(`Invalid params: ${what} must be a whole number`);
  }
  return value as number;
}

export function addressAt(params: Params, index: number): string {
  const text = stringAt(params, index, 'address');
  if (!isBase58Of(text, 32)) throw invalidParams('Invalid param: WrongSize');
  return text;
}

export function signatureOf(value: unknown): string {
  if (typeof value !== 'string' || !isBase58Of(value, 64)) throw invalidParams('Invalid param: WrongSize');
  return value;
}

/** The configuration's commitment; a node's default is `finalized`. */
export function commitmentOf(config: Config): Commitment {
  const { commitment } = config;
  switch (commitment) {
    case undefined:
    case null:
      return 'finalized';
    case 'processed':
    case 'confirmed':
    case 'finalized':
      return commitment;
    default:
      throw invalidParams(`Invalid params: unknown commitment ${JSON.stringify(commitment)}`);
  }
}

/** For methods that read history: a node has none below `confirmed`. */
export function historyCommitmentOf(config: Config): 'confirmed' | 'finalized' {
  const commitment = commitmentOf(config);
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
  return commitment;
}

/** Transaction or message as text; the default encoding of nodes is base58. */
export function bytesOf(text: string, encoding: unknown): Uint8Array {
  if (encoding === 'base64') {
    if (text.length > 2 * LARGEST_TRANSACTION) throw invalidParams('base64 encoded transaction is too large');
    const bytes = Buffer.from(text, 'base64');
    if (bytes.toString('base64') !== text) throw invalidParams('invalid base64 encoding');
    return bytes;
  }
  if (encoding !== undefined && encoding !== null && encoding !== 'base58') {
    throw invalidParams(`unsupported encoding: ${JSON.stringify(encoding)}. Supported encodings: base58, base64`);
  }
  const bytes = text.length > 2 * LARGEST_TRANSACTION ? null : decodeBase58(text);
  if (bytes === null) throw invalidParams('invalid base58 encoding');
  return bytes;
}

export function transactionOf(bytes: Uint8Array): WireTransaction {
  try {
    return parseTransaction(bytes);
  } catch (error) {
    const why = messageOf(error);
    throw invalidParams(`failed to deserialize solana_transaction::versioned::VersionedTransaction: ${why}`);
  }
}
