import { checkBody, profilePatch, SEVERITIES, VIOLATION_TYPES } from '@countersign/contracts';
import type { JsonSchema } from '@countersign/contracts';

const text: JsonSchema = { type: 'string' };
const title: JsonSchema = { type: 'string', minLength: 1, maxLength: 500 };
const action = (checkBody['properties'] as Readonly<Record<string, JsonSchema>>)['action'];

const check = {
  action,
  times: { type: 'integer', minimum: 1, maximum: 1_000_000 },
  at: { type: ['string', 'number'] },
};

const textOrNull: JsonSchema = { type: ['string', 'null'] };

/** The `code` of a refusal because the agent is frozen. */
export const FROZEN = 'agent_frozen';

const expectation: JsonSchema = {
  if: { type: 'object' },
  then: {
    type: 'object',
    minProperties: 1,
    properties: {
      allowed: { type: 'boolean' },
      violation_type: { type: ['string', 'null'], enum: [...VIOLATION_TYPES, null] },
      rule: textOrNull,
      severity: { type: ['string', 'null'], enum: [...SEVERITIES, null] },
      reason: textOrNull,
      detail: textOrNull,
      code: { type: ['string', 'null'], enum: [FROZEN, null] },
      category: textOrNull,
      pii_kind: textOrNull,
      matched_topic: textOrNull,
      decision: { type: ['string', 'null'], enum: ['step_up', 'modify', 'defer', null] },
    },
    additionalProperties: false,
  },
  else: { type: 'string', enum: ['allowed', 'denied', FROZEN, ...VIOLATION_TYPES] },
};

/** Checks before those of a case. They are allowed, unless `expect` says otherwise. */
const given: JsonSchema = {
  type: 'array',
  minItems: 1,
  maxItems: 1000,
  items: {
    type: 'object',
    required: ['action'],
    properties: { ...check, expect: expectation },
    additionalProperties: false,
  },
};

const oneCheck: JsonSchema = {
  type: 'object',
  required: ['title', 'action', 'expect'],
  properties: { title, given, ...check, expect: expectation },
  additionalProperties: false,
};

const sequence: JsonSchema = {
  type: 'object',
  required: ['title', 'steps'],
  properties: {
    title,
    given,
    steps: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['action'],
        properties: { ...check, expect: expectation },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
};

/** The members of a policy's file around its cases and its profile. */
export const fileSchema: JsonSchema = {
  type: 'object',
  properties: {
    id: text,
    name: text,
    description: text,
    profile: { type: 'object' },
    rules: { type: 'object' },
    cases: { type: 'array' },
  },
  additionalProperties: false,
};

/** A single check, or a sequence where `steps` says so. */
export const caseSchema: JsonSchema = {
  type: 'object',
  if: { type: 'object', required: ['steps'] },
  then: sequence,
  else: oneCheck,
};

/** The profile as the edge judges the body of a PATCH. */
export const profileSchema: JsonSchema = profilePatch;
