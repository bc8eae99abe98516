import { SEVERITIES } from '../leaf.js';
import { object } from './json-schema.js';

const text = { type: 'string' } as const;

/** What is said of an action that is allowed. */
export const allowedDecision = object({ allowed: { const: true } });

/** What a denial says beside `allowed`. */
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
