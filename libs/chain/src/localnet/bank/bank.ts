import { messageOf } from '@countersign/async';
import { memoTexts } from '../../memo.js';
import type { TransactionFailure } from '../../port.js';
import type { Ledger } from '../ledger/ledger.js';
import type { LandedDetail, LandedTransaction } from '../ledger/rows.js';
import type { Execution } from './engine.js';
import { Engine } from './engine.js';
import { Faucet } from './faucet.js';
import type { Slots } from './slots.js';
import { isWritable } from './wire.js';
import type { WireTransaction } from './wire.js';

/** Maximum number of transactions executed in one event-loop tick, with one commit at its end. */
const LARGEST_BATCH = 256;
const LONGEST_QUEUE = 10_000;

/** `taken` corresponds to a node's answer when it has forwarded a transaction: it is in the ledger, or was before. */
export type Submission =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly execution: Execution }
  | { readonly kind: 'unhealthy'; readonly why: string };

interface Queued {
  readonly transaction: WireTransaction;
  readonly wire: Uint8Array;
  readonly preflight: boolean;
  readonly resolve: (submission: Submission) => void;
}

/** With `detail` when it landed: it succeeded, or failed and paid its fee anyway. */
interface Executed {
  readonly execution: Execution;
  readonly detail: LandedDetail | null;
}

/** Executes transactions and answers only for what is durable. */
export class Bank {
  engine: Engine;
  readonly faucet: Faucet;
  readonly #ledger: Ledger;
  readonly #slots: Slots;
  readonly #queue: Queued[] = [];
  readonly #listeners = new Set<() => void>();
  #turn: Promise<void> | null = null;
  #broken: string | null = null;

  constructor(ledger: Ledger, slots: Slots) {
    this.#ledger = ledger;
    this.#slots = slots;
    this.faucet = new Faucet(ledger.genesis.faucetSeed);
    this.engine = this.#fromLedger();
  }

  /** Accounts as in the ledger. */
  #fromLedger(): Engine {
    const engine = new Engine();
    engine.restore(this.faucet.genesisAccount());
    for (const account of this.#ledger.accounts()) engine.restore(account);
    return engine;
  }

  /** Why it accepts nothing any more, or `null`. Memory is ahead of a failed disk: only a restart helps. */
  broken(): string | null {
    return this.#broken;
  }

  /** Calls back after transactions have landed. */
  onLanded(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Resolves when the transaction is in the ledger, durably, or is refused. */
  submit(
    transaction: WireTransaction,
    wire: Uint8Array,
    options: { readonly preflight: boolean },
  ): Promise<Submission> {
    if (this.#broken !== null) return Promise.resolve({ kind: 'unhealthy', why: this.#broken });
    if (this.#queue.length >= LONGEST_QUEUE) {
      return Promise.resolve({ kind: 'unhealthy', why: 'too many transactions are waiting' });
    }
    return new Promise((resolve) => {
      this.#queue.push({ transaction, wire, preflight: options.preflight, resolve });
      this.#turn ??= this.#drain();
    });
  }

  /** Sets the time that programs and readers see to now. */
  tick(): void {
    this.engine.setTime(this.#slots.at('processed'), this.#slots.blockTimeSeconds());
  }

  /** The reason why a transaction cannot be executed at all, or `null`. */
  judge(transaction: WireTransaction): TransactionFailure | null {
    if (this.#ledger.has(transaction.signatures[0] ?? '')) return 'AlreadyProcessed';
    return this.#slots.usable(transaction.blockhash) === null ? 'BlockhashNotFound' : null;
  }

  /** Resolves when nothing is pending. */
  async idle(): Promise<void> {
    while (this.#turn !== null) await this.#turn;
  }

  async #drain(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        await new Promise(setImmediate);
        this.#landBatch(this.#queue.splice(0, LARGEST_BATCH));
      }
    } finally {
      this.#turn = null;
    }
  }

  #landBatch(batch: readonly Queued[]): void {
    const slot = this.#slots.at('processed');
    const blockTime = this.#slots.blockTimeSeconds();
    const landed = new Map<string, LandedTransaction>();
    const touched = new Set<string>();
    const answers: Submission[] = [];
    try {
      if (this.#broken !== null) throw new Error(this.#broken);
      this.engine.setTime(slot, blockTime);
      for (const { transaction, wire, preflight } of batch) {
        const twin = landed.has(transaction.signatures[0] ?? '');
        const failure = twin ? 'AlreadyProcessed' : this.judge(transaction);
        const { execution, detail } =
          failure === null ? this.#execute(transaction, preflight, touched) : unexecuted(failure);
        if (detail !== null) {
          const one = describe(transaction, wire, execution, detail, slot, blockTime);
          landed.set(one.signature, one);
        }
        // Without preflight a node answers before it knows: a transaction that cannot be executed is dropped silently.
        const refused = detail === null && (preflight || execution.failure === 'SignatureFailure');
        answers.push(refused ? { kind: 'refused', execution } : { kind: 'taken' });
      }
      if (landed.size > 0) {
        const accounts = new Map([...touched].map((address) => [address, this.engine.account(address)] as const));
        this.#ledger.commit([...landed.values()], accounts);
      }
    } catch (error) {
      const why = this.#broken ?? `the ledger cannot be written: ${messageOf(error)}`;
      // A full disk stored nothing of the batch: with accounts as in the ledger, the next one is attempted.
      if ((error as { code?: unknown }).code === 'SQLITE_FULL') this.#reload(why);
      else this.#broken = why;
      for (const { resolve } of batch) resolve({ kind: 'unhealthy', why });
      return;
    }
    batch.forEach(({ resolve }, i) => resolve(answers[i] ?? { kind: 'taken' }));
    if (landed.size > 0) for (const listener of this.#listeners) listener();
  }

  #reload(why: string): void {
    try {
      this.engine = this.#fromLedger();
    } catch {
      this.#broken = why;
    }
  }

  #execute(transaction: WireTransaction, preflight: boolean, touched: Set<string>): Executed {
    if (preflight) {
      const rehearsal = this.engine.simulate(transaction, { verifySignatures: true });
      if (rehearsal.failure !== null) return { execution: rehearsal, detail: null };
    }
    const loadedAddresses = this.engine.loadedAddresses(transaction);
    const addresses = [...transaction.keys, ...loadedAddresses.writable, ...loadedAddresses.readonly];
    const balances = () => addresses.map((address) => this.engine.balance(address));
    const preBalances = balances();
    const execution = this.engine.execute(transaction);
    const postBalances = balances();
    if (execution.failure !== null && postBalances[0] === preBalances[0]) {
      return { execution, detail: null };
    }
    for (const [i, key] of transaction.keys.entries()) if (isWritable(transaction, i)) touched.add(key);
    for (const address of loadedAddresses.writable) touched.add(address);
    const { unitsConsumed, innerInstructions, returnData } = execution;
    const fee = sum(preBalances) - sum(postBalances);
    return {
      execution,
      detail: { fee, preBalances, postBalances, unitsConsumed, innerInstructions, returnData, loadedAddresses },
    };
  }
}

function describe(
  transaction: WireTransaction,
  wire: Uint8Array,
  execution: Execution,
  detail: LandedDetail,
  slot: number,
  blockTime: number,
): LandedTransaction {
  const { keys, instructions, requiredSignatures, signatures } = transaction;
  return {
    signature: signatures[0] ?? '',
    wire,
    slot,
    blockTime,
    failure: execution.failure,
    logs: execution.logs,
    memos: memoTexts(instructions.map(({ programIdIndex, data }) => ({ programId: keys[programIdIndex] ?? '', data }))),
    signers: keys.slice(0, requiredSignatures),
    accounts: [...keys, ...detail.loadedAddresses.writable, ...detail.loadedAddresses.readonly],
    detail,
  };
}

function unexecuted(failure: TransactionFailure): Executed {
  return {
    execution: { failure, logs: [], unitsConsumed: 0, innerInstructions: [], returnData: null },
    detail: null,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
