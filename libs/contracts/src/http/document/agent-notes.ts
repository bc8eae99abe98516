import { EXAMPLE } from './operation-note.js';
import type { OperationNotes } from './operation-note.js';

const because = { reason: 'an incident is being looked into' };

/** Agents, their profiles and their registration. */
export const AGENT_NOTES: OperationNotes = {
  createAgent: {
    body: { name: 'Order desk', type: 'assistant', purpose: 'answers questions about orders', version: '2026-03' },
    description:
      'A new agent may do everything until its profile says otherwise; its checks are recorded from the first one on. Its `id` is the `agentId` of checks.',
  },
  listAgents: { description: 'Frozen and inactive ones too, each with its profile.' },
  getAgent: { description: 'Once it is registered, its blockchain SSN is there as well.' },
  updateAgent: {
    body: { purpose: 'answers questions about orders and returns' },
    description: 'What is not named stays. The profile has a route of its own.',
  },
  freezeAgent: {
    body: because,
    description:
      'For when something goes wrong: from the very next check on every check of this agent is 403, and an event. The reason is kept with the event.',
  },
  unfreezeAgent: { body: because, description: 'The profile decides again, from the very next check on.' },
  deactivateAgent: {
    body: { reason: 'replaced by another agent' },
    description: 'Cannot be undone. What is on record stays, as does a registration on the chain.',
  },
  getProfile: { description: 'Every field, also those that were never set, and the `version`.' },
  updateProfile: {
    body: {
      allowed_apis: ['api.example.com', 'orders.*'],
      off_limits_actions: ['wire_transfer'],
      spending_limit: 100,
      rate_limit: { max: 60, per_seconds: 60 },
      output_rules: { blocked_pii: ['credit_card', 'us_ssn'], block_secrets: true },
    },
    description:
      'What is not named stays; `null` unsets; `output_rules` is replaced whole. Each change raises `version` and makes an event. Send the `version` that you have seen to be told by 409 when somebody was faster. With `mode: observe` nothing is denied, and events say what would have been. Try a draft with `POST /v1/agents/{id}/profile/dry-run` first.',
  },
  mcpGetAgent: { description: 'For programs that have a key and no session. An agent that the key is not for is 404.' },
  mcpGetProfile: { description: 'What `countersign policy pull` writes, and `policy diff` compares with a file.' },
  mcpPutProfile: {
    body: { allowed_apis: ['api.example.com'], spending_limit: 100 },
    description:
      'What `countersign policy apply` sends: the file is the whole truth. Send the `version` that was read to get 409 where another change came first.',
  },
  explainCheck: {
    body: { agentId: EXAMPLE.agent, action: { type: 'http_call', url: 'https://api.example.com/v1/orders' } },
    description:
      'To see why: each rule with what it says of the action, in the order in which they are judged. Nothing is recorded, nothing counts, and nobody is frozen. The `agentId` of the body is that of the path.',
  },
  dryRunProfile: {
    body: {
      profile: { spending_limit: 20, off_limits_actions: ['wire_transfer'] },
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-03-02T00:00:00.000Z',
    },
    description:
      'Before a profile is changed: the checks on record of a time, judged again by the draft as if it had been in force at `from`, and which of them would have come out otherwise, by rule.',
  },
  listSafetyPackages: { description: 'Ready rules for common worries, to begin with.' },
  applySafetyPackage: {
    body: { packageId: 'spending-guard' },
    description:
      'Its rules are copied: what they are from then on is the profile’s own. Look at the profile that comes back, since a list of what is allowed grows by what the package allows.',
  },
  registrationTransaction: {
    description:
      'The first half of registering an agent on Solana: give the address of a wallet that is yours, sign what comes back, submit it, and tell of it with `register-blockchain-self-custody`. The key never leaves you, and the wallet pays the fee.',
  },
  registerSelfCustody: {
    body: {
      walletAddress: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
      transactionSignature: '5'.repeat(88),
    },
    description:
      'The second half: once the transaction is finalized the agent has its public number, `CSN-XXXX-XXXX-XXXX-XXXX`, which anybody looks up at `GET /v1/verify/{ssn}`. A 409 with `Retry-After` means: not finalized yet, ask again.',
  },
  listAgentAnchors: {
    description:
      'Each window of time in which the agent had events, with the root that is on the chain, its transaction, and which events it holds.',
  },
};
