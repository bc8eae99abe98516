import { allowedDecision, denialMembers } from './decision.js';
import { isoTime, uuid } from './fragments.js';
import { checkBody, type CheckRequest } from './check.js';
import { nullable, object, type JsonOf, type JsonSchema } from './json-schema.js';
import type { JsonValue } from '../leaf.js';

const text = { type: 'string' } as const;

/** Of a rule with conditions, and of a limit. They quote the policy, never the action. */
const conditions = {
  clauses: {
    type: 'array',
    description:
      'of a rule with conditions: each clause in the order of evaluation; of a limit: `counted + 1 <= 3`, what it counted before and this check',
    items: object({
      text,
      result: {
        enum: [true, false, 'error', 'not_reached', 'unknown'],
        description:
          '`unknown`: it depends on a fact or a balance of a limit that the recorded check did not read, or on a fact that is not known',
      },
    }),
  },
  reads: { type: 'array', items: text, description: 'members that the rule reads, such as `args.amount`' },
  facts: {
    type: 'array',
    description:
      'facts that the rule reads. Of a recorded check: as it saw them, by its committed context; `null` where it did not read the fact, as no value would have changed its verdict. Otherwise as it is now',
    items: object({ id: text, set: { type: ['boolean', 'null'] } }),
  },
  mode: { type: 'string', enum: ['enforce', 'observe'], description: 'in `observe` the rule denies nothing' },
} as const;

const ruleTrace = {
  oneOf: [
    {
      type: 'object',
      required: ['name', 'result', 'violation'],
      properties: {
        name: text,
        result: { const: 'matched', description: 'the rule denies, regardless of the others' },
        violation: {
          type: 'object',
          required: ['reason', 'severity', 'violation_type'],
          properties: denialMembers,
          additionalProperties: false,
        },
        ...conditions,
        would_allow: { type: 'string', description: 'the condition under which the rule denies nothing, in CEL' },
      },
      additionalProperties: false,
    },
    {
      type: 'object',
      required: ['name', 'result'],
      properties: { name: text, result: { const: 'passed' }, ...conditions },
      additionalProperties: false,
    },
    object({
      name: text,
      result: { const: 'not_applicable' },
      because: { type: 'string', description: 'the rule is not set, or does not apply to this kind of action' },
    }),
  ],
} as const;

/** Body of `POST /v1/agents/{id}/explain`. @param profile schema of the draft */
export const explainBody = <const P extends JsonSchema>(profile: P) =>
  ({
    ...checkBody,
    properties: {
      ...checkBody.properties,
      profile: {
        ...profile,
        description: 'a draft: fields as in a PATCH of the profile, applied to the profile in force',
      },
    },
  }) as const;

/** The body as a handler gets it; `profile` is not validated yet. */
export type ExplainRequest = CheckRequest & { readonly profile?: JsonValue };

/** Answer of `POST /v1/agents/{id}/explain`. */
export const explanation = object({
  agentId: uuid,
  agentStatus: {
    type: 'string',
    enum: ['active', 'frozen', 'inactive'],
    description: 'a check of a frozen agent is 403, of an inactive one 404, regardless of the rules',
  },
  profileVersion: { type: 'integer', minimum: 1 },
  mode: { type: 'string', enum: ['enforce', 'observe'], description: 'in `observe` nothing is denied' },
  coverage: { type: 'string', enum: ['governed', 'none'] },
  answer: {
    description: 'the answer of a check now by the policy, apart from plan and status of the agent',
    oneOf: [
      allowedDecision,
      {
        type: 'object',
        required: ['allowed', 'reason', 'severity', 'violation_type'],
        properties: { allowed: { const: false }, ...denialMembers },
        additionalProperties: false,
      },
    ],
  },
  rules: { type: 'array', items: ruleTrace, description: 'every rule, in the order of evaluation' },
  facts: {
    type: 'array',
    description: 'every fact of the profile, as a check of this session would find it now',
    items: object({
      id: text,
      scope: { type: 'string', enum: ['session', 'agent'] },
      set: {
        type: ['boolean', 'null'],
        description: '`null`: not known, as there was no room for a fact of the agent that had to be set',
      },
      until: { ...nullable(isoTime), description: 'time until which it is set; `null`: it is not set' },
    }),
  },
  limits: {
    type: 'array',
    description: 'every limit that a check of this action would be counted towards. Nothing is counted',
    items: object({
      id: text,
      unit: { type: 'string', enum: ['count', 'sum'] },
      window_seconds: { type: 'integer' },
      limit: text,
      used: { type: 'string', description: 'what the window holds now' },
      needs: { type: 'string', description: 'what this check would add' },
      remaining: text,
      fits: { type: 'boolean' },
      decreases_at: {
        ...nullable(isoTime),
        description: 'time at which the oldest amount leaves the window; `null`: the window is empty',
      },
    }),
  },
});

export type Explanation = JsonOf<typeof explanation>;
