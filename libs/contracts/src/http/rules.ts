import { SEVERITIES } from '../leaf.js';
import type { JsonOf, JsonSchema } from './json-schema.js';

export const MAX_RULES = 100;
export const MAX_FACTS = 32;
export const MAX_LIMITS = 32;
/** Most characters of the JSON text of a rule's `patch`. */
export const MAX_PATCH_CHARACTERS = 4096;

const id = {
  type: 'string',
  pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
  description: 'unique in its list: lower-case letters, digits, - and _',
} as const;
const names = {
  type: 'array',
  minItems: 1,
  maxItems: 100,
  items: { type: 'string', minLength: 1, maxLength: 512 },
} as const;
const tools = {
  ...names,
  description: 'names of tools, in either spelling of the member; a trailing `*` is a wildcard',
} as const;
const types = { ...names, description: 'types of actions; a trailing `*` is a wildcard' } as const;
const expression = (description: string) =>
  ({ type: 'string', minLength: 1, maxLength: 1024, description: `${description}, in CEL (dialect cel/1)` }) as const;
const reason = { type: 'string', minLength: 1, maxLength: 512, description: 'text of the denial' } as const;
const severity = { type: 'string', enum: SEVERITIES } as const;
const mode = { type: 'string', enum: ['enforce', 'observe'] } as const;
const entries = {
  type: 'array',
  minItems: 1,
  maxItems: 100,
  items: { type: 'string', minLength: 1, maxLength: 512 },
} as const;
const scalars = {
  type: 'array',
  minItems: 1,
  maxItems: 100,
  items: { anyOf: [{ type: 'string', maxLength: 512 }, { type: 'number' }, { type: 'boolean' }] },
} as const;

/** Conditions on one member of the arguments. All that are given must hold. */
export const argumentMatcher = {
  type: 'object',
  minProperties: 1,
  properties: {
    max: { type: 'number' },
    min: { type: 'number' },
    one_of: scalars,
    not_one_of: scalars,
    prefix: { type: 'string', minLength: 1, maxLength: 512 },
    under: { ...entries, description: 'folders, as absolute POSIX paths: the member is one of them or below one' },
    host_in: { ...entries, description: 'hosts and URL prefixes, as in allowed_apis' },
    domain_in: {
      ...entries,
      description:
        'domains of all e-mail addresses: `acme.com`, `*.acme.com`. On `to` it applies to `cc` and `bcc` as well',
    },
    read_only_sql: { const: true, description: 'one SQL statement that is proven to read only' },
    max_length: {
      type: 'integer',
      minimum: 0,
      maximum: 65536,
      description: 'characters of a text, or elements of a list',
    },
    absent: {
      enum: [true, 'allow'],
      description: 'true: the member is absent. `allow`: the other conditions apply only where it is present',
    },
    present: { const: true },
  },
  additionalProperties: false,
} as const;

const hours = {
  type: 'object',
  required: ['zone'],
  properties: {
    zone: { type: 'string', minLength: 1, maxLength: 64, description: 'name of the IANA time zone database' },
    days: { type: 'string', minLength: 3, maxLength: 64, description: '`mon-fri`, `sat,sun` or `daily` (the default)' },
    inside: { type: 'string', minLength: 11, maxLength: 11, description: '`07:00-19:00`: the rule applies within' },
    outside: { type: 'string', minLength: 11, maxLength: 11, description: 'the rule applies at all other times' },
  },
  additionalProperties: false,
} as const;

const approvers = {
  type: 'object',
  description: 'who decides: a person with one of the roles, or one of the users. Absent: who may change the profile',
  properties: {
    roles: { type: 'array', minItems: 1, maxItems: 8, items: { type: 'string', minLength: 1, maxLength: 64 } },
    users: { type: 'array', minItems: 1, maxItems: 100, items: { type: 'string', minLength: 1, maxLength: 320 } },
    min: { type: 'integer', minimum: 1, maximum: 10, description: 'different people who must approve; 1 if absent' },
    not_requester: { type: 'boolean', description: 'not the person who made the API key, nor the principal' },
    not_policy_editor: { type: 'boolean', description: 'not the person who changed the profile last' },
  },
  additionalProperties: false,
} as const;
const reuse = {
  type: 'object',
  description: 'an approval is used more than once; absent: once',
  required: ['until_seconds', 'scope'],
  properties: {
    until_seconds: { type: 'integer', minimum: 1, maximum: 2_592_000, description: 'seconds from the decision' },
    scope: {
      type: 'string',
      enum: ['exact', 'tool'],
      description: '`exact`: for the same action, `tool`: for every action of the same tool',
    },
  },
  additionalProperties: false,
} as const;
const ignore = {
  type: 'array',
  minItems: 1,
  maxItems: 32,
  items: { type: 'string', minLength: 1, maxLength: 256 },
  description: 'dotted paths of the action, as `payload.note`, that may differ between the request and its use',
} as const;

/** JSON Pointer (RFC 6901) to a member: not the empty one, which is the whole action. */
const pointer = {
  type: 'string',
  minLength: 2,
  maxLength: 512,
  pattern: '^(?:/(?:[^~/]|~[01])*)+$',
} as const;

/** Operations of RFC 6902. The others read the action, and a patch is the same for every action. */
export const patchOperations = {
  type: 'array',
  minItems: 1,
  maxItems: 16,
  description: 'JSON Patch (RFC 6902) of the action, with `add`, `replace` and `remove`',
  items: {
    type: 'object',
    required: ['op', 'path'],
    properties: {
      op: { type: 'string', enum: ['add', 'replace', 'remove'] },
      path: {
        ...pointer,
        description: 'a member of the action, as `/payload/amount`',
      },
      value: { description: 'of `add` and `replace`: any JSON value' },
    },
    additionalProperties: false,
  },
} as const;

/** An element of `rules`. */
export const ruleMember = {
  type: 'object',
  required: ['id', 'effect'],
  properties: {
    id,
    tools,
    types,
    args: {
      type: 'object',
      minProperties: 1,
      maxProperties: 32,
      description: 'conditions by the names of members of `action.payload`, or dotted paths into it',
      additionalProperties: argumentMatcher,
    },
    when: expression('condition'),
    hours,
    effect: {
      type: 'string',
      enum: ['deny', 'deny_unless', 'modify', 'defer', 'approve'],
      description:
        '`deny` denies where all conditions hold, `deny_unless` where they are not all proven. The others deny where all hold, and say how the action can be allowed: `modify` in another form, `defer` later, `approve` after a person has approved it',
    },
    mode,
    severity,
    reason,
    approvers,
    expires_seconds: {
      type: 'integer',
      minimum: 1,
      maximum: 2_592_000,
      description: 'seconds from the request in which a person decides, and the approval is used; a day if absent',
    },
    reuse,
    ignore,
    patch: {
      ...patchOperations,
      description: `of \`modify\`: a change of the action after which the rule allows it, as JSON Patch (RFC 6902) with \`add\`, \`replace\` and \`remove\`; at most ${MAX_PATCH_CHARACTERS} characters of JSON. The names of the tool and the type stay`,
    },
    missing: {
      type: 'array',
      minItems: 1,
      maxItems: 16,
      items: { type: 'string', minLength: 1, maxLength: 256 },
      description:
        'of `defer`: the conditions that have to come true first, such as `facts.kyc_done`. Absent: all that the rule reads',
    },
    retry_after_seconds: {
      type: 'integer',
      minimum: 1,
      maximum: 86_400,
      description: 'of `defer`: after this many seconds a check may have another answer; 30 if absent',
    },
  },
  additionalProperties: false,
} as const;

/** An element of `facts`. */
export const factMember = {
  type: 'object',
  required: ['id', 'set_when'],
  properties: {
    id: { ...id, pattern: '^[a-z][a-z0-9_]{0,63}$', description: 'unique; expressions read it as `facts.<id>`' },
    tools,
    types,
    set_when: expression('condition that sets the fact; an error sets it'),
    on: {
      type: 'string',
      enum: ['allowed', 'checked'],
      description: 'sets it where the check is allowed (the default), or at every check',
    },
    scope: { type: 'string', enum: ['session', 'agent'], description: '`session` is the default' },
    ttl_seconds: { type: 'integer', minimum: 1, maximum: 31_622_400 },
  },
  additionalProperties: false,
} as const;

/** An element of `limits`. */
export const limitMember = {
  type: 'object',
  required: ['id', 'window_seconds'],
  properties: {
    id,
    tools,
    types,
    key: expression('text, number or boolean: each value has windows of its own'),
    max_count: { type: 'integer', minimum: 0, maximum: 10_000, description: 'most allowed checks in a window' },
    sum: expression('number, or decimal as text, that is added up'),
    max_sum: { type: 'string', pattern: '^\\d{1,9}(?:\\.\\d{1,9})?$', description: 'largest sum in a window' },
    window_seconds: { type: 'integer', minimum: 1, maximum: 31_622_400 },
    reserve: { type: 'boolean', description: 'the sum is held until the outcome is reported' },
    mode,
    severity,
    reason,
  },
  additionalProperties: false,
} as const;

export const ruleMembers = { type: 'array', maxItems: MAX_RULES, items: ruleMember } as const;
export const factMembers = { type: 'array', maxItems: MAX_FACTS, items: factMember } as const;
export const limitMembers = { type: 'array', maxItems: MAX_LIMITS, items: limitMember } as const;

/** Members of a profile for rules with conditions, by name. */
export const conditionalMembers = {
  rules: ruleMembers,
  facts: factMembers,
  limits: limitMembers,
} as const satisfies Readonly<Record<string, JsonSchema>>;

type Scalar = string | number | boolean;

export interface ArgumentMatcher {
  readonly max?: number;
  readonly min?: number;
  readonly one_of?: readonly Scalar[];
  readonly not_one_of?: readonly Scalar[];
  readonly prefix?: string;
  readonly under?: readonly string[];
  readonly host_in?: readonly string[];
  readonly domain_in?: readonly string[];
  readonly read_only_sql?: true;
  readonly max_length?: number;
  readonly absent?: true | 'allow';
  readonly present?: true;
}

export interface RuleMember extends Omit<JsonOf<typeof ruleMember>, 'args'> {
  readonly args?: Readonly<Record<string, ArgumentMatcher>>;
}
export type FactMember = JsonOf<typeof factMember>;
export type LimitMember = JsonOf<typeof limitMember>;
export type RuleEffect = RuleMember['effect'];
/** An operation of a patch. */
export type PatchOperation = NonNullable<RuleMember['patch']>[number];
