import type { AgentFacts } from '@countersign/contracts';
import { blockchainSsn } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { RegisteredAgent } from '../store/port.js';

/**
 * The public facts of an agent; `null` for one that is not registered, or whose SSN does not follow from its wallet and its
 * transaction, which any reader can recompute.
 */
export function registeredAgent(agentId: string, facts: AgentFacts): RegisteredAgent | null {
  const { blockchain_ssn: ssn, wallet_address: walletAddress, chain_tx_signature: transactionSignature } = facts;
  if (ssn === null || walletAddress === null || transactionSignature === null) return null;
  if (blockchainSsn({ agentId, transactionSignature, walletAddress }, nodeCrypto.sha256) !== ssn) return null;
  return {
    ssn,
    type: facts.type,
    status: facts.status,
    walletAddress,
    createdAt: facts.created_at,
    registeredAt: facts.registered_at,
  };
}
