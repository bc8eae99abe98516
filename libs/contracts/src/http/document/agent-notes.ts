import { EXAMPLE } from './operation-note.js';
import type { OperationNotes } from './operation-note.js';

const AGENT_KEY = {
  id: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  publicKey: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  createdAt: '2026-03-01T09:00:00.000Z',
} as const;

const because = { reason: 'an incident is being looked into' };

/** Agents, their profiles and their registration. */
export const AGENT_NOTES: OperationNotes = {
  createAgent: {
    body: { name: 'Order desk', type: 'assistant', purpose: 'answers questions about orders', version: '2026-03' },
    description:
      'A new agent may do everything until its profile restricts it; its checks are recorded from the first one on. Its `id` is the `agentId` of checks.',
  },
  listAgents: {
    description:
      'Includes frozen and inactive agents unless `status` names one state, each with its profile. `q` finds a part of a name, or of an id, in any case; `total` is the number of agents that match.',
  },
  getAgent: { description: 'A registered agent has its blockchain SSN.' },
  updateAgent: {
    body: {
      purpose: 'answers questions about orders and returns',
      oauth_client_ids: [EXAMPLE.client],
    },
    description:
      'Fields that are not named stay unchanged. The profile has a route of its own. With `oauth_client_ids`, a gateway of the tool protocol that asks by AuthZEN names the agent by the client id of its access token.',
  },
  freezeAgent: {
    body: because,
    description:
      'For incidents: from the next check on, every check of this agent is 403 and recorded as an event. The reason is stored with the event.',
  },
  unfreezeAgent: { body: because, description: 'The profile decides again from the next check on.' },
  deactivateAgent: {
    body: { reason: 'replaced by another agent' },
    description: 'Cannot be undone. Recorded events and a registration on the chain remain.',
  },
  getAgentSigning: {
    answers: { 200: { requireSignature: true, signingKeys: [AGENT_KEY] } },
    description:
      'A check is signed by HTTP Message Signatures (RFC 9421) with `Signature-Input`, `Signature` and `Content-Digest` (RFC 9530), on `POST /v1/check` and `POST /v1/mcp/check`. The clients do so with their option `signingKey`.',
  },
  addAgentKey: {
    body: { publicKey: AGENT_KEY.publicKey },
    answers: { 201: AGENT_KEY },
    description:
      'Send `publicKey` or `jwk`. The private key stays with the agent. From the next check on a signature of the agent has to be valid; a check without one is still accepted unless the agent requires it. To rotate, add the new key, sign with it, and remove the old one.',
  },
  removeAgentKey: {
    description:
      'Cannot be undone for checks that are under way. Where a signature is required and no key is left, every check of the agent is 401. Recorded checks keep the public key with their signature.',
  },
  requireAgentSignature: {
    body: { required: false },
    description:
      'A signature has `created`, `nonce` and `keyid`, and covers `@method`, `@path`, `content-digest`, `@query` where there is one, and each of `idempotency-key`, `x-approval-id`, `x-subject-token-digest` (SHA-256 of `x-subject-token`), `x-countersign-agent`, `x-countersign-principal` and `x-countersign-session` that the request has. `created` is at most 60 seconds from the time of the service; a nonce is used once. `POST /v1/check` and `POST /v1/mcp/check` verify signatures, after credentials (401), body (400) and agent (404). All other routes refuse the checks of such an agent with 401: evaluations, hooks, guardrails and `/mcp`, and so do the MCP proxy and `countersign hook`, which do not sign. Require signatures once its checks come by a client that signs.',
  },
  getProfile: { description: 'Every field, including those that were never set, and the `version`.' },
  updateProfile: {
    body: {
      allowed_apis: ['api.example.com', 'orders.*'],
      off_limits_actions: ['wire_transfer'],
      spending_limit: 100,
      rate_limit: { max: 60, per_seconds: 60 },
      output_rules: { blocked_pii: ['credit_card', 'us_ssn'], block_secrets: true },
    },
    description:
      'Fields that are not named stay unchanged; `null` unsets; `output_rules` is replaced as a whole. Each change raises `version` and is recorded as an event. Send the `version` that you have read to get 409 after a concurrent change. With `mode: observe` nothing is denied, and events record what would have been denied. Try a draft with `POST /v1/agents/{id}/profile/dry-run` first.',
  },
  listProfileVersions: {
    description:
      'Read from the events `profile.changed`, which commit to the whole profile. A version that no event names was never changed since the agent was created, and is not listed. Compare `sha256` with `profileSha256` of the checks of that time.',
  },
  getProfileVersion: {
    description:
      'SHA-256 of `profile` in canonical form (RFC 8785) is `sha256`, and the leaf of `eventId` commits to it: what is shown is what was in force.',
  },
  listAgentWindows: {
    description:
      'The windows without gaps between `lastSequence` and the next `firstSequence` show that no event of the agent is missing. `next` is a sequence.',
  },
  mcpGetAgent: {
    description: 'For programs that have a key and no session. An agent that the key is not valid for is 404.',
  },
  mcpGetProfile: {
    description: 'The profile that `countersign policy pull` writes and `policy diff` compares with a file.',
  },
  mcpPutProfile: {
    body: { allowed_apis: ['api.example.com'], spending_limit: 100 },
    description:
      'Used by `countersign policy apply`: the file is the complete profile. Send the `version` that was read to get 409 after a concurrent change.',
  },
  explainCheck: {
    body: { agentId: EXAMPLE.agent, action: { type: 'http_call', url: 'https://api.example.com/v1/orders' } },
    description:
      'Explains a decision: each rule with its result for the action, in the order of evaluation. Nothing is recorded or counted, and no agent is frozen. The `agentId` of the body has to be that of the path. With `profile` it explains what a check would get under that draft; a rate limit of the draft with a longer time than that in force counts only the checks that are still known.',
  },
  dryRunProfile: {
    body: {
      profile: { spending_limit: 20, off_limits_actions: ['wire_transfer'] },
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-03-02T00:00:00.000Z',
    },
    description:
      'Before a profile is changed: judges the recorded checks of a time range again by the draft, as if it had been in force at `from`, and returns those with a different decision, by rule. With `latest` instead of `from` and `to` it judges the newest checks, for a preview while a draft is edited.',
  },
  previewProfile: {
    body: {
      profile: { allowed_apis: ['api.example.com'], blocked_apis: ['*.example.com'] },
      cases: [{ title: 'wires are denied', action: { type: 'wire_transfer' }, expect: 'denied' }],
    },
    description:
      'Before a profile is changed: the profile as the change would leave it, with what `countersign policy lint` finds about it. With `rules` those of a safety package are merged into the draft first; with `cases` the test cases of a policy file are run as `countersign policy test` runs them. A draft that a PATCH would refuse is answered as a finding.',
  },
  listSafetyPackages: { description: 'Predefined rules for common risks, as a starting point.' },
  applySafetyPackage: {
    body: { packageId: 'spending-guard' },
    description:
      'Copies the rules; later changes of the package do not affect the profile. Review the profile in the answer, since its lists of allowed entries grow by those of the package.',
  },
  registrationTransaction: {
    description:
      'First step of registering an agent on Solana: send the address of your wallet, sign the transaction in the answer, submit it, and report it with `register-blockchain-self-custody`. The private key stays with you, and the wallet pays the fee.',
  },
  registerSelfCustody: {
    body: {
      walletAddress: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
      transactionSignature: '5'.repeat(88),
    },
    description:
      'Second step: once the transaction is finalized, the agent has its public number, `CSN-XXXX-XXXX-XXXX-XXXX`, for the public lookup at `GET /v1/verify/{ssn}`. A 409 with `Retry-After` means that it is not finalized yet: try again.',
  },
  listAgentAnchors: {
    description:
      'Each window with events of the agent: the root on the chain, its transaction, and the ids of the events.',
  },
};
