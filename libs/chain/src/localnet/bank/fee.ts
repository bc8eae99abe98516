import { COMPUTE_BUDGET } from './faucet.js';
import type { WireTransaction } from './wire.js';

const LAMPORTS_PER_SIGNATURE = 5_000;
const UNITS_PER_INSTRUCTION = 200_000;
const MOST_UNITS = 1_400_000;
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;

/** Lamports that a transaction pays: for its signatures, and the price per compute unit that it offers. */
export function feeOf(transaction: WireTransaction): number {
  let price = 0n;
  let limit: number | null = null;
  let others = 0;
  for (const { programIdIndex, data } of transaction.instructions) {
    const view = Buffer.from(data);
    if (transaction.keys[programIdIndex] !== COMPUTE_BUDGET) others += 1;
    else if (view[0] === SET_UNIT_LIMIT && view.length >= 5) limit = view.readUInt32LE(1);
    else if (view[0] === SET_UNIT_PRICE && view.length >= 9) price = view.readBigUInt64LE(1);
  }
  const units = BigInt(Math.min(limit ?? others * UNITS_PER_INSTRUCTION, MOST_UNITS));
  const priority = (price * units + 999_999n) / 1_000_000n;
  return transaction.requiredSignatures * LAMPORTS_PER_SIGNATURE + Number(priority);
}
