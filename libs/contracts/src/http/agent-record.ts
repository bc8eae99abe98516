import type { BehaviorProfile } from '../records.js';
import { isoTime, uuid } from './fragments.js';
import { behaviorProfile } from './profile.js';
import { nullable, object, type JsonOf } from './json-schema.js';

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
  },
} as const;

export type AgentRecord = Omit<JsonOf<typeof agentRecord>, 'behavior_profile'> & {
  readonly behavior_profile: BehaviorProfile;
};
