import { decodeBase58, encodeBase58 } from '../../base58.js';
import { privateKeyOf, rawPublicKey, signEd25519 } from '../../ed25519.js';
import type { Account } from './engine.js';
import { parseTransaction } from './wire.js';
import type { WireTransaction } from './wire.js';

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
/** Five million SOL: every balance, and every sum of balances, is exact in JSON. */
const SUPPLY = 5_000_000 * 1e9;
/** Maximum of one request: ten thousand SOL. */
export const LARGEST_AIRDROP = 10_000 * 1e9;

/** The account that holds the supply at genesis and gives from it by ordinary signed transactions. */
export class Faucet {
  readonly address: string;
  readonly #key;
  readonly #publicKey: Uint8Array;
  #given = 0;

  constructor(seed: Uint8Array) {
    this.#key = privateKeyOf(seed);
    this.#publicKey = rawPublicKey(this.#key);
    this.address = encodeBase58(this.#publicKey);
  }

  genesisAccount(): Account {
    return {
      address: this.address,
      lamports: SUPPLY,
      owner: SYSTEM_PROGRAM,
      data: new Uint8Array(0),
      executable: false,
    };
  }

  /** A signed transfer. No two are equal: an insignificant compute limit differs. */
  transfer(to: Uint8Array, lamports: number, blockhash: string): WireTransaction {
    this.#given = (this.#given + 1) % 1_000_000;
    const limit = Buffer.alloc(5);
    limit[0] = 2;
    limit.writeUInt32LE(10_000 + this.#given, 1);
    const amount = Buffer.alloc(12);
    amount.writeUInt32LE(2);
    amount.writeBigUInt64LE(BigInt(lamports), 4);
    const toItself = Buffer.from(to).equals(this.#publicKey);
    const keys = [this.#publicKey, ...(toItself ? [] : [to]), bytesOf(SYSTEM_PROGRAM), bytesOf(COMPUTE_BUDGET)];
    const system = keys.length - 2;
    const message = Buffer.concat([
      Buffer.from([1, 0, 2, keys.length]),
      ...keys,
      bytesOf(blockhash),
      Buffer.from([2, system + 1, 0, limit.length]),
      limit,
      Buffer.from([system, 2, 0, toItself ? 0 : 1, amount.length]),
      amount,
    ]);
    const signature = signEd25519(this.#key, message);
    return parseTransaction(Buffer.concat([Buffer.from([1]), signature, message]));
  }
}

export const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';

function bytesOf(address: string): Uint8Array {
  return decodeBase58(address) ?? new Uint8Array(32);
}
