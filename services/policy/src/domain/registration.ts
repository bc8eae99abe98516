import type { ChainTransaction } from '@countersign/chain';
import type { WalletRegistration } from '@countersign/contracts';
import { blockchainSsn, parseRegistrationMemo, registrationMemo } from '@countersign/evidence';
import { isoTime, next } from './agent.js';
import type { Agent } from './agent.js';
import { byOf, INACTIVE, refused } from './change.js';
import type { Actor, Change } from './change.js';
import type { Digest } from './profile.js';

type Refused = Extract<Change, { readonly kind: 'refused' }>;

export const TAKEN = 'the transaction registered another agent: sign and submit one for this agent';

/** Reason why this agent cannot be registered by any transaction, or `null`. A frozen agent can be registered. */
export function refuseRegistration({ facts }: Agent): Refused | null {
  if (facts.status === 'inactive') return refused(409, INACTIVE);
  if (facts.blockchain_ssn === null) return null;
  return refused(409, `the agent is registered already, as ${facts.blockchain_ssn}: a registration is final`);
}

/** The agent with its number. @param registration of a transaction for which {@link transactionProblem} returned `null` */
export function registerAgent(
  agent: Agent,
  { walletAddress, transactionSignature }: WalletRegistration,
  actor: Actor,
  nowMs: number,
  sha256: Digest,
): Change {
  const refusal = refuseRegistration(agent);
  if (refusal !== null) return refusal;
  const facts = {
    blockchain_ssn: blockchainSsn({ agentId: agent.id, transactionSignature, walletAddress }, sha256),
    wallet_address: walletAddress,
    chain_tx_signature: transactionSignature,
    registered_at: isoTime(nowMs),
  };
  return {
    kind: 'changed',
    agent: next(agent, facts, nowMs),
    event: {
      type: 'agent.registered',
      committed: { walletAddress, transactionSignature, by: byOf(actor) },
      profileVersion: null,
      profileSha256: null,
    },
  };
}

/**
 * Reason why a finalized transaction does not register the agent by this wallet (`evidence.md`, "Registration"), or `null`.
 * Other instructions are ignored: wallets add their own.
 */
export function transactionProblem(
  agentId: string,
  walletAddress: string,
  { succeeded, signers, feePayer, memos }: ChainTransaction,
  sha256: Digest,
): string | null {
  if (!succeeded) return 'the transaction failed on the chain: sign and submit another one';
  if (!signers.includes(walletAddress)) return 'walletAddress did not sign the transaction: name the wallet that did';
  if (feePayer !== walletAddress) {
    return 'walletAddress signed the transaction, but did not pay its fee: the wallet must be the fee payer';
  }
  const wanted = registrationMemo(agentId, sha256);
  if (memos.length === 0) return `the transaction has no memo: one SPL Memo instruction must say ${wanted}`;
  const registrations = memos.filter((memo) => parseRegistrationMemo(memo) !== null);
  if (registrations.length === 0) return `no memo of the transaction is a registration: one must say ${wanted}`;
  if (registrations.length > 1) {
    return `the transaction has ${registrations.length} memos that register: it must have one alone`;
  }
  return registrations[0] === wanted ? null : `the transaction's memo names another agent: it must say ${wanted}`;
}
