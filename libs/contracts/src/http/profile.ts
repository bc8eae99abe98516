import { PII_KINDS, REQUIRED_MEMBERS } from '../records.js';
import { uuid } from './fragments.js';
import { nullable, type JsonSchema } from './json-schema.js';

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
      'hosts, `*.` hosts, URL prefixes (`https://api.example.com/v1/`) or tool names (`crm.*`); not empty: all else is denied, also an `http_call` without url, one whose `uri` is another than its `url`, and a `tool_use` without a tool. A list that names a host or a URL (by a dot, a port, `*.`, a scheme) judges the addresses in the arguments of a tool call too',
  },
  blocked_apis: {
    ...entries,
    description:
      'as allowed_apis; blocked wins, and `api.example.com/*` blocks the host as well. Also looked for in the arguments of a tool call',
  },
  spending_limit: nullable({
    type: 'number',
    minimum: 0,
    description:
      'US dollars of estimatedCost; an action that names its cost otherwise (`estimated_cost`, `total`, `price_usd`, also `cost` in its payload), or twice with different values (`cost` or `total_cost` beside it), is denied. What is reported as `skipped` within 24 hours (`POST /v1/mcp/log`) is given back, while its day or month lasts; `failed` is not',
  }),
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
  allowed_data_scopes: {
    ...entries,
    description:
      'data scopes, a trailing `*` is a wildcard; those that look like paths are compared without `.` and empty segments, with slashes for backslashes, encoded or not, also in NFKC without characters that do not show, and `..` is refused here and denied in an action',
  },
  blocked_data_scopes: { ...entries, description: 'as allowed_data_scopes; blocked wins' },
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
          'found where a word begins with them, in any ending and case (`layoff` in `layoffs`, not in `playoffs`), with a ' +
          'star before them also inside a word (`*entlassung`); white space, hyphens and underscores are alike; a blank at ' +
          'the end of an entry stands for the end of a word',
      },
      max_length: nullable({ type: 'integer', minimum: 0, description: 'characters of all values, normalised' }),
    },
    additionalProperties: false,
  }),
};

/** Members that every action must name. */
export const requiredMembers: JsonSchema = {
  type: 'array',
  maxItems: 1000,
  items: { type: 'string', enum: REQUIRED_MEMBERS },
  description:
    'what every action must name: `cost` (estimatedCost), `url`, `data_scope` (dataScope), `tool` (tool_name or toolName), with a text that is not blank; an action that does not is denied. Absent where it is not set',
};

/** A whole profile. */
export const behaviorProfile: JsonSchema = {
  type: 'object',
  required: ['agent_id', 'version', ...Object.keys(profileFields)],
  properties: {
    agent_id: uuid,
    version: { type: 'integer', minimum: 1 },
    ...profileFields,
    require: { ...requiredMembers, minItems: 1 },
  },
  additionalProperties: false,
};

/** What a profile says in vain. */
export const profileWarnings: JsonSchema = {
  type: 'array',
  minItems: 1,
  items: { type: 'string' },
  description:
    'entries that can never match, and allowed ones that a blocked one covers; no part of the profile, and there only where there are any',
};

/** The answer to a change of a profile: the profile, and what it says in vain. */
export const changedProfile: JsonSchema = {
  ...behaviorProfile,
  properties: {
    ...(behaviorProfile['properties'] as Readonly<Record<string, JsonSchema>>),
    warnings: profileWarnings,
  },
};

/** Body of a PATCH of a profile. */
export const profilePatch: JsonSchema = {
  type: 'object',
  properties: {
    agent_id: { ...uuid, description: 'may be sent back as it is' },
    version: { type: 'integer', minimum: 1, description: 'when sent: the current one, else 409' },
    ...profileFields,
    require: nullable({
      ...requiredMembers,
      description: `${String(requiredMembers['description'])}; null and an empty list unset it`,
    }),
  },
  additionalProperties: false,
};
