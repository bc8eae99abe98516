import { SEVERITIES } from '../leaf.js';
import type { JsonSchema } from './route.js';

const text: JsonSchema = { type: 'string' };

/** What is said of an action that is allowed. */
export const allowedDecision: JsonSchema = {
  type: 'object',
  required: ['allowed'],
  properties: { allowed: { const: true } },
  additionalProperties: false,
};

/** What a denial says beside `allowed`. */
export const denialMembers: Readonly<Record<string, JsonSchema>> = {
  reason: text,
  severity: { type: 'string', enum: SEVERITIES },
  violation_type: text,
  detail: text,
  rule: { type: 'string', description: '`<field>:<entry>` of the profile' },
  category: text,
  pii_kind: text,
  matched_topic: text,
  length: { type: 'number' },
};
