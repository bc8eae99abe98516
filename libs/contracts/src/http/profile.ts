import { PII_KINDS } from '../records.js';
import { nullable, uuid } from './fragments.js';
import type { JsonSchema } from './route.js';

const entries: JsonSchema = {
  type: 'array',
  maxItems: 1000,
  items: { type: 'string', minLength: 1, maxLength: 512 },
};

/** Fields of a profile that a PATCH may set, with what each may hold. */
export const profileFields: Readonly<Record<string, JsonSchema>> = {
  mode: { type: 'string', enum: ['enforce', 'observe'] },
  allowed_apis: {
    ...entries,
    description:
      'hosts, `*.` hosts, URL prefixes (`https://api.example.com/v1/`) or tool names (`crm.*`); not empty: all else is denied',
  },
  blocked_apis: {
    ...entries,
    description: 'as allowed_apis; blocked wins, and `api.example.com/*` blocks the host as well',
  },
  spending_limit: nullable({ type: 'number', minimum: 0, description: 'US dollars of estimatedCost' }),
  spending_window: { type: 'string', enum: ['action', 'day', 'month'] },
  rate_limit: nullable({
    type: 'object',
    required: ['max', 'per_seconds'],
    properties: {
      max: { type: 'integer', minimum: 0, maximum: 100000 },
      per_seconds: { type: 'integer', minimum: 1, maximum: 31_622_400 },
    },
    additionalProperties: false,
  }),
  off_limits_actions: { ...entries, description: 'action types or tool names, a trailing `*` is a wildcard' },
  allowed_actions: entries,
  allowed_data_scopes: entries,
  blocked_data_scopes: entries,
  freeze_on_violation: { type: 'boolean' },
  store_payload: { type: 'boolean', description: 'keep the value of the payload, not only its commitment' },
  output_rules: nullable({
    type: 'object',
    description: 'over every string and number in payload; replaced whole, and what is left out is no rule',
    properties: {
      blocked_pii: {
        type: 'array',
        maxItems: 1000,
        description: 'national identifiers whose check digits are weak are found behind words that say what they are',
        items: {
          type: 'string',
          enum: PII_KINDS,
        },
      },
      block_secrets: { type: 'boolean', description: 'keys, tokens and passwords; also in the names of members' },
      blocked_topics: {
        ...entries,
        description:
          'found wherever the text holds them, also inside a word, in any case; white space, hyphens and underscores are ' +
          'alike; a blank at the beginning or end of an entry stands for the beginning or end of a word',
      },
      max_length: nullable({ type: 'integer', minimum: 0, description: 'characters of all values, normalised' }),
    },
    additionalProperties: false,
  }),
};

/** A whole profile. */
export const behaviorProfile: JsonSchema = {
  type: 'object',
  required: ['agent_id', 'version', ...Object.keys(profileFields)],
  properties: { agent_id: uuid, version: { type: 'integer', minimum: 1 }, ...profileFields },
  additionalProperties: false,
};

/** Body of a PATCH of a profile. */
export const profilePatch: JsonSchema = {
  type: 'object',
  properties: {
    agent_id: { ...uuid, description: 'may be sent back as it is' },
    version: { type: 'integer', minimum: 1, description: 'when sent: the current one, else 409' },
    ...profileFields,
  },
  additionalProperties: false,
};
