import { allowedDecision, denialMembers } from './decision.js';
import { uuid } from './fragments.js';
import { object, type JsonOf } from './json-schema.js';

const text = { type: 'string' } as const;

const ruleTrace = {
  oneOf: [
    object({
      name: text,
      result: { const: 'matched', description: 'by itself it denies, whatever the others say' },
      violation: {
        type: 'object',
        required: ['reason', 'severity', 'violation_type'],
        properties: denialMembers,
        additionalProperties: false,
      },
    }),
    object({ name: text, result: { const: 'passed' } }),
    object({
      name: text,
      result: { const: 'not_applicable' },
      because: { type: 'string', description: 'it is not set, or does not speak of this kind of action' },
    }),
  ],
} as const;

/** What `POST /v1/agents/{id}/explain` gives. */
export const explanation = object({
  agentId: uuid,
  agentStatus: {
    type: 'string',
    enum: ['active', 'frozen', 'inactive'],
    description: 'a check of a frozen agent is 403, of an inactive one 404, whatever the rules say',
  },
  profileVersion: { type: 'integer', minimum: 1 },
  mode: { type: 'string', enum: ['enforce', 'observe'], description: 'in `observe` nothing is denied' },
  coverage: { type: 'string', enum: ['governed', 'none'] },
  answer: {
    description: 'what a check would be answered now by the policy; plan and status of the agent aside',
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
  rules: { type: 'array', items: ruleTrace, description: 'every rule, in the order in which they are judged' },
});

export type Explanation = JsonOf<typeof explanation>;
