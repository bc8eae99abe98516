import { ChainRejected, type Chain } from '@countersign/chain';
import type { Logger } from 'pino';

/** A memo costs 5,000 lamports; an account must keep about 900,000. */
const TOO_LOW = 1_000_000;
const LOW = 20_000_000;
const AIRDROP = 1_000_000_000;
const CHECK_EVERY_MS = 30_000;

/** Watches what the authority has to pay with; where the network gives it away, asks for more. */
export class AuthorityFunds {
  readonly #chain: Pick<Chain, 'balance' | 'requestAirdrop'>;
  readonly #address: string;
  readonly #log: Pick<Logger, 'warn' | 'info'>;
  readonly #clock: () => number;
  readonly #funded: (lamports: number) => void;
  #balance: number | null = null;
  #checkedAt = -Infinity;

  constructor(
    chain: Pick<Chain, 'balance' | 'requestAirdrop'>,
    address: string,
    log: Pick<Logger, 'warn' | 'info'>,
    clock: () => number,
    /** Receives the balance at each check. */
    funded: (lamports: number) => void,
  ) {
    this.#chain = chain;
    this.#address = address;
    this.#log = log;
    this.#clock = clock;
    this.#funded = funded;
  }

  /** Checks that a memo can be paid for. @throws ChainUnavailable */
  async suffice(): Promise<boolean> {
    const now = this.#clock();
    const recent = Math.abs(now - this.#checkedAt) < CHECK_EVERY_MS;
    if (!recent || this.#balance === null || this.#balance < TOO_LOW) await this.#check();
    this.#checkedAt = now;
    return this.#balance !== null && this.#balance >= TOO_LOW;
  }

  problem(): string | null {
    if (this.#balance === null || this.#balance >= TOO_LOW) return null;
    return `the anchoring authority ${this.#address} has ${this.#balance} lamports: send it at least ${LOW}`;
  }

  async #check(): Promise<void> {
    const before = this.#balance;
    this.#balance = await this.#chain.balance(this.#address);
    this.#funded(this.#balance);
    if (this.#balance >= LOW) return;
    try {
      await this.#chain.requestAirdrop(this.#address, AIRDROP);
      this.#log.info({ address: this.#address }, 'asked the network for lamports');
    } catch (error) {
      if (!(error instanceof ChainRejected)) throw error;
      if (before !== this.#balance)
        this.#log.warn({ lamports: this.#balance }, 'the anchoring authority runs out of lamports');
    }
  }
}
