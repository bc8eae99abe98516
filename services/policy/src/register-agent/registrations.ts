import { isBase58Of, isWalletAddress, MEMO_PROGRAM_ID } from '@countersign/chain';
import type { RegistrationDraft, WalletRegistration } from '@countersign/contracts';
import { registrationMemo } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { HttpRefusal } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';
import type { AgentChanges, Caller } from '../change-agent/agent-changes.js';
import { notNow } from '../change-agent/agent-changes.js';
import type { Agent } from '../domain/agent.js';
import { refuseRegistration, TAKEN, transactionProblem } from '../domain/registration.js';
import type { PolicyStore } from '../store/port.js';
import { AccountLookups } from './account-lookups.js';
import { asking, ChainNotAsked, lookUp } from './look-up.js';
import type { NotFinal } from './look-up.js';

const BAD_WALLET = 'walletAddress must be an address that a wallet can sign for: a public key of Ed25519 in base58';
const BAD_SIGNATURE = 'transactionSignature must be the signature of a transaction: 64 bytes in base58';

const NOT_FINAL: Readonly<Record<NotFinal, string>> = {
  unknown: 'the chain does not know the transaction: submit it, wait until it is finalized, and try again',
  'not-finalized': 'the transaction is not finalized yet: try again in a moment',
};

/**
 * Registers agents by the wallets of their users. Everything is checked before anything is written, and one write registers:
 * the store accepts a transaction once. Throws HttpRefusal: 400, 404, 409, 429, 503.
 */
export class Registrations {
  constructor(
    private readonly context: Pick<ServiceContext, 'chain' | 'log'>,
    private readonly changes: AgentChanges,
    private readonly store: PolicyStore,
    private readonly lookups = new AccountLookups(),
  ) {}

  /** @param walletAddress of the wallet that will sign and pay; the chain is asked only where it is given */
  async draft(accountId: string, id: string, walletAddress: string | undefined): Promise<RegistrationDraft> {
    if (walletAddress !== undefined && !isWalletAddress(walletAddress)) throw new HttpRefusal(400, BAD_WALLET);
    const agent = await this.changes.find(accountId, id);
    const memo = registrationMemo(agent.id, nodeCrypto.sha256);
    if (walletAddress === undefined) {
      return { transaction: null, memo, programId: MEMO_PROGRAM_ID, recentBlockhash: null, lastValidBlockHeight: null };
    }
    this.#refuse(agent);
    const open = () => this.context.chain();
    return this.#reach(accountId, () =>
      asking(open, (chain) => chain.buildRegistrationTransaction({ walletAddress, memo })),
    );
  }

  async register(caller: Caller, id: string, registration: WalletRegistration): Promise<Agent> {
    const { walletAddress, transactionSignature } = registration;
    if (!isWalletAddress(walletAddress)) throw new HttpRefusal(400, BAD_WALLET);
    if (!isBase58Of(transactionSignature, 64)) throw new HttpRefusal(400, BAD_SIGNATURE);
    const agent = await this.changes.find(caller.accountId, id);
    this.#refuse(agent);
    const taker = await this.store.registeredBy(transactionSignature);
    // Another call registers this agent by it: the write fails then.
    if (taker !== null && taker !== agent.id) throw new HttpRefusal(409, TAKEN);
    const found = await this.#reach(caller.accountId, () => lookUp(() => this.context.chain(), transactionSignature));
    if (typeof found === 'string') throw new HttpRefusal(409, NOT_FINAL[found], { 'Retry-After': '1' });
    const problem = transactionProblem(agent.id, walletAddress, found, nodeCrypto.sha256);
    if (problem !== null) throw new HttpRefusal(400, problem);
    return this.changes.register(caller, id, registration);
  }

  #refuse(agent: Agent): void {
    const refusal = refuseRegistration(agent);
    if (refusal !== null) throw new HttpRefusal(refusal.status, refusal.words);
  }

  async #reach<T>(accountId: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await this.lookups.run(accountId, ask);
    } catch (error) {
      if (!(error instanceof ChainNotAsked)) throw error;
      this.context.log.warn({ err: error }, 'a registration could not be judged');
      throw notNow(error.message);
    }
  }
}
