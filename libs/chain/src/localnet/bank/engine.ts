import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import type { TransactionMetadata } from 'litesvm';
import { encodeBase58 } from '../../base58.js';
import type { TransactionFailure } from '../../port.js';
import type { EngineError } from './transaction-error.js';
import { transactionFailure } from './transaction-error.js';
import type { WireTransaction } from './wire.js';

/** An account as the network holds it. Lamports fit a double: the whole supply is below 2^53. */
export interface Account {
  readonly address: string;
  readonly lamports: number;
  readonly owner: string;
  readonly data: Uint8Array;
  readonly executable: boolean;
}

export interface InnerInstruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  /** Base58. */
  readonly data: string;
  readonly stackHeight: number;
}

export interface Execution {
  /** `null`: it succeeded. */
  readonly failure: TransactionFailure | null;
  readonly logs: readonly string[];
  readonly unitsConsumed: number;
  /** By top-level instruction, those that called others. */
  readonly innerInstructions: readonly { readonly index: number; readonly instructions: readonly InnerInstruction[] }[];
  readonly returnData: { readonly programId: string; readonly data: readonly [string, 'base64'] } | null;
}

type KitTransaction = Parameters<LiteSVM['sendTransaction']>[0];
type KitAccount = Parameters<LiteSVM['setAccount']>[0];
type KitAddress = KitAccount['address'];
const ADDRESS_TABLE_HEADER = 56;

/**
 * Executes real transactions: the virtual machine of Solana with its system and SPL programs, in this process. The
 * caller decides which blockhashes and duplicates are accepted. The VM's own types do not leave this class.
 */
export class Engine {
  readonly #vm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n);

  /** Sets the time that programs see. */
  setTime(slot: number, unixSeconds: number): void {
    const clock = this.#vm.getClock();
    if (clock.slot === BigInt(slot) && clock.unixTimestamp === BigInt(unixSeconds)) return;
    clock.slot = BigInt(slot);
    clock.unixTimestamp = BigInt(unixSeconds);
    this.#vm.setClock(clock);
  }

  /** Verifies the signatures, executes, keeps the result. */
  execute(transaction: WireTransaction): Execution {
    const outcome = this.#vm.sendTransaction(toKit(transaction));
    return outcome instanceof FailedTransactionMetadata ? failed(outcome) : executed(outcome, null);
  }

  /** Executes and forgets. */
  simulate(transaction: WireTransaction, options: { readonly verifySignatures: boolean }): Execution {
    if (!options.verifySignatures) this.#vm.withSigverify(false);
    try {
      const outcome = this.#vm.simulateTransaction(toKit(transaction));
      return outcome instanceof FailedTransactionMetadata ? failed(outcome) : executed(outcome.meta(), null);
    } finally {
      if (!options.verifySignatures) this.#vm.withSigverify(true);
    }
  }

  /** `null`: nothing was ever stored there. */
  account(address: string): Account | null {
    const found = this.#vm.getAccount(address as KitAddress);
    if (!found.exists || (found.lamports === 0n && found.data.length === 0)) return null;
    return {
      address,
      lamports: Number(found.lamports),
      owner: found.programAddress,
      data: Uint8Array.from(found.data),
      executable: found.executable,
    };
  }

  balance(address: string): number {
    return Number(this.#vm.getBalance(address as KitAddress) ?? 0);
  }

  restore(account: Account): void {
    this.#vm.setAccount({
      address: account.address as KitAddress,
      lamports: BigInt(account.lamports) as KitAccount['lamports'],
      programAddress: account.owner as KitAddress,
      data: account.data,
      executable: account.executable,
      space: BigInt(account.data.length),
    });
  }

  /** Addresses that the transaction's lookups load, writable ones first, as the network orders them. */
  loadedAddresses(transaction: WireTransaction): { writable: string[]; readonly: string[] } {
    const read = (which: 'writable' | 'readonly'): string[] =>
      transaction.lookups.flatMap((lookup) => {
        const table = this.account(lookup.table)?.data;
        return lookup[which].flatMap((index) => {
          const start = ADDRESS_TABLE_HEADER + index * 32;
          return table === undefined || start + 32 > table.length
            ? []
            : [encodeBase58(table.subarray(start, start + 32))];
        });
      });
    return { writable: read('writable'), readonly: read('readonly') };
  }
}

function toKit(transaction: WireTransaction): KitTransaction {
  const signers = transaction.keys.slice(0, transaction.requiredSignatures);
  const signatures = Object.fromEntries(signers.map((address, i) => [address, transaction.signatureBytes[i]]));
  return { messageBytes: transaction.message, signatures } as unknown as KitTransaction;
}

function failed(outcome: FailedTransactionMetadata): Execution {
  const error = outcome.err() as unknown as EngineError;
  return executed(outcome.meta(), transactionFailure(error, error.constructor.name));
}

function executed(meta: TransactionMetadata, failure: TransactionFailure | null): Execution {
  const returned = meta.returnData().data();
  return {
    failure,
    logs: meta.logs(),
    unitsConsumed: Number(meta.computeUnitsConsumed()),
    innerInstructions: meta.innerInstructions().flatMap((inner, index) => {
      const instructions = inner.map((call) => {
        const instruction = call.instruction();
        return {
          programIdIndex: instruction.programIdIndex(),
          accounts: [...instruction.accounts()],
          data: encodeBase58(instruction.data()),
          stackHeight: call.stackHeight(),
        };
      });
      return instructions.length === 0 ? [] : [{ index, instructions }];
    }),
    returnData:
      returned.length === 0
        ? null
        : {
            programId: encodeBase58(meta.returnData().programId()),
            data: [Buffer.from(returned).toString('base64'), 'base64'],
          },
  };
}
