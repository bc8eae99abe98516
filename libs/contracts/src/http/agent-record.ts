import type { BehaviorProfile } from '../records.js';
import { isoTime, uuid } from './fragments.js';
import { behaviorProfile } from './profile.js';
import { nullable, object, type JsonOf } from './json-schema.js';

/** Most OAuth clients of one agent. */
export const MOST_OAUTH_CLIENTS = 16;

/** OAuth client ids of an agent: characters by RFC 6749, appendix A.1. */
export const oauthClientIds = {
  type: 'array',
  maxItems: MOST_OAUTH_CLIENTS,
  uniqueItems: true,
  items: { type: 'string', minLength: 1, maxLength: 200, pattern: '^[!-~](?:[ -~]*[!-~])?$' },
  description:
    'client ids of OAuth under which the agent calls: an AuthZEN evaluation with one of them as `context.agent` is a check of this agent. Two agents of an account that are active or frozen cannot have the same client id',
} as const;

const agent = object({
  id: uuid,
  name: { type: 'string' },
  type: nullable({ type: 'string' }),
  purpose: nullable({ type: 'string' }),
  version: nullable({ type: 'string' }),
  status: { type: 'string', enum: ['active', 'frozen', 'inactive'] },
  blockchain_ssn: nullable({ type: 'string' }),
  wallet_address: nullable({ type: 'string' }),
  chain_tx_signature: nullable({ type: 'string' }),
  created_at: isoTime,
  updated_at: isoTime,
  behavior_profile: behaviorProfile,
});

/** An agent as its account sees it; fields that are not set are null. */
export const agentRecord = {
  ...agent,
  properties: {
    ...agent.properties,
    registered_by_key: {
      ...uuid,
      description:
        'id of the API key that registered it; absent if a person did, or the account’s first key. Checks, outcomes and scans of such an agent need a key that names it in `agentIds`, or the first key',
    },
    oauth_client_ids: { ...oauthClientIds, description: `${oauthClientIds.description}; absent: none` },
  },
} as const;

export type AgentRecord = Omit<JsonOf<typeof agentRecord>, 'behavior_profile'> & {
  readonly behavior_profile: BehaviorProfile;
};
