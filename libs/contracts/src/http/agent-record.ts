import { isoTime, nullable, uuid } from './fragments.js';
import { behaviorProfile } from './profile.js';
import type { JsonSchema } from './route.js';

const agentProperties: Readonly<Record<string, JsonSchema>> = {
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
};

/** An agent as its account sees it; what is not set is null. */
export const agentRecord: JsonSchema = {
  type: 'object',
  required: Object.keys(agentProperties),
  properties: agentProperties,
  additionalProperties: false,
};
