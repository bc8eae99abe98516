import { allowedDecision, denialMembers } from './decision.js';
import type { JsonSchema } from './route.js';
import { uuid } from './fragments.js';

const text: JsonSchema = { type: 'string' };

const ruleTrace: JsonSchema = {
  oneOf: [
    {
      type: 'object',
      required: ['name', 'result', 'violation'],
      properties: {
        name: text,
        result: { const: 'matched', description: 'by itself it denies, whatever the others say' },
        violation: {
          type: 'object',
          required: ['reason', 'severity', 'violation_type'],
          properties: denialMembers,
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    },
    {
      type: 'object',
      required: ['name', 'result'],
      properties: { name: text, result: { const: 'passed' } },
      additionalProperties: false,
    },
    {
      type: 'object',
      required: ['name', 'result', 'because'],
      properties: {
        name: text,
        result: { const: 'not_applicable' },
        because: { type: 'string', description: 'it is not set, or does not speak of this kind of action' },
      },
      additionalProperties: false,
    },
  ],
};

/** What `POST /v1/agents/{id}/explain` gives. */
export const explanation: JsonSchema = {
  type: 'object',
  required: ['agentId', 'agentStatus', 'profileVersion', 'mode', 'coverage', 'answer', 'rules'],
  properties: {
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
  },
  additionalProperties: false,
};
