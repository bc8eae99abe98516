import { SEVERITIES } from '../leaf.js';
import { object } from './json-schema.js';

const text = { type: 'string' } as const;

/** Decision about an allowed action. */
export const allowedDecision = object({ allowed: { const: true } });

/** Members of a denial in addition to `allowed`. */
export const denialMembers = {
  reason: text,
  severity: { type: 'string', enum: SEVERITIES },
  violation_type: text,
  detail: text,
  rule: { type: 'string', description: '`<field>:<entry>` of the profile' },
  category: text,
  pii_kind: text,
  matched_topic: text,
  length: { type: 'number' },
} as const;
