import { PII_KINDS, REQUIRED_MEMBERS } from '../records.js';
import { uuid } from './fragments.js';
import { nullable, type JsonSchema } from './json-schema.js';
import { factMembers, limitMembers, ruleMembers } from './rules.js';

const entries: JsonSchema = {
  type: 'array',
  maxItems: 1000,
  items: { type: 'string', minLength: 1, maxLength: 512 },
};

/** Fields of a profile that a PATCH may set. */
export const profileFields: Readonly<Record<string, JsonSchema>> = {
  mode: { type: 'string', enum: ['enforce', 'observe'] },
  allowed_apis: {
    ...entries,
    description:
      'hosts, `*.` hosts, URL prefixes (`https://api.example.com/v1/`) or tool names (`crm.*`); if not empty, everything else is denied, including an `http_call` without url, one whose `uri` differs from its `url`, and a `tool_use` without a tool. A list that names a host or a URL (by a dot, a port, `*.`, a scheme) also applies to the addresses in the arguments of a tool call',
  },
  blocked_apis: {
    ...entries,
    description:
      'as allowed_apis; blocked entries take precedence, and `api.example.com/*` blocks the host as well. Also searched for in the arguments of a tool call',
  },
  spending_limit: nullable({
    type: 'number',
    minimum: 0,
    description:
      'US dollars of estimatedCost; an action that names its cost differently (`estimated_cost`, `total`, `price_usd`, also `cost` in its payload), or twice with different values (`cost` or `total_cost` in addition), is denied. A cost that is reported as `skipped` within 24 hours (`POST /v1/mcp/log`) is refunded, while its day or month lasts; `failed` is not',
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
  off_limits_actions: { ...entries, description: 'action types or tool names; a trailing `*` is a wildcard' },
  allowed_actions: entries,
  allowed_data_scopes: {
    ...entries,
    description:
      'data scopes; a trailing `*` is a wildcard. Scopes that look like paths are compared without `.` and empty segments, with backslashes as slashes, percent-decoded, and in NFKC without invisible characters; `..` is refused here and denied in an action',
  },
  blocked_data_scopes: { ...entries, description: 'as allowed_data_scopes; blocked entries take precedence' },
  freeze_on_violation: { type: 'boolean' },
  store_payload: { type: 'boolean', description: 'store the value of the payload, not only its commitment' },
  output_rules: nullable({
    type: 'object',
    description: 'applied to every string and number in payload; replaced as a whole, and an absent member is no rule',
    properties: {
      blocked_pii: {
        type: 'array',
        maxItems: 1000,
        description: 'national identifiers with weak check digits are found only after words that name them',
        items: {
          type: 'string',
          enum: PII_KINDS,
        },
      },
      block_secrets: { type: 'boolean', description: 'keys, tokens and passwords; also in the names of members' },
      blocked_topics: {
        ...entries,
        description:
          'found at the beginning of a word, with any ending and in any case (`layoff` in `layoffs`, not in `playoffs`); with a ' +
          'leading star also inside a word (`*entlassung`). White space, hyphens and underscores are equivalent; a blank at ' +
          'the end of an entry is the end of a word',
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
    'members that every action must name: `cost` (estimatedCost), `url`, `data_scope` (dataScope), `tool` (tool_name or toolName), as a text that is not blank; an action without them is denied. Absent if it is not set',
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
    rules: { ...ruleMembers, minItems: 1 },
    facts: { ...factMembers, minItems: 1 },
    limits: { ...limitMembers, minItems: 1 },
  },
  additionalProperties: false,
};

/** Parts of a profile that have no effect. */
export const profileWarnings: JsonSchema = {
  type: 'array',
  minItems: 1,
  items: { type: 'string' },
  description:
    'entries that can never match, allowed ones that a blocked one covers, and rules, facts and limits without effect: the findings of `countersign policy lint`; not part of the profile, and present only if there are any',
};

/** Answer to a change of a profile: the profile, and the parts of it that have no effect. */
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
    agent_id: { ...uuid, description: 'may be sent back unchanged' },
    version: { type: 'integer', minimum: 1, description: 'if sent: the current one, otherwise 409' },
    ...profileFields,
    require: nullable({
      ...requiredMembers,
      description: `${String(requiredMembers['description'])}; null and an empty list unset it`,
    }),
    rules: nullable({
      ...ruleMembers,
      description: 'rules with conditions; replaced as a whole, null and an empty list unset it',
    }),
    facts: nullable({ ...factMembers, description: 'labels that checks set and rules read; as rules' }),
    limits: nullable({
      ...limitMembers,
      description: 'most that may be done or spent in a time, for each value of a key; as rules',
    }),
  },
  additionalProperties: false,
};
