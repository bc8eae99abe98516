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

/** An agent as its account sees it; what is not set is null. */
export const agentRecord = {
  ...agent,
  properties: {
    ...agent.properties,
    registered_by_key: {
      ...uuid,
      description:
        'id of the API key that registered it; absent where a person did, or the account’s first key. An agent that has it is checked, reported on and scanned for only by a key that names it in `agentIds`, or by the first key',
    },
  },
} as const;

export type AgentRecord = Omit<JsonOf<typeof agentRecord>, 'behavior_profile'> & {
  readonly behavior_profile: BehaviorProfile;
};
