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
  budget: {
    type: 'object',
    description: 'of `limit_exceeded`: the window of the limit before the check. Amounts are decimals in text',
    required: ['unit', 'window_seconds', 'limit', 'consumed', 'remaining', 'resets_at'],
    properties: {
      unit: { type: 'string', enum: ['count', 'sum'] },
      window_seconds: { type: 'integer' },
      limit: text,
      consumed: text,
      remaining: text,
      resets_at: {
        type: ['string', 'null'],
        description:
          'ISO 8601 time before which the balance does not decrease; null: the amount alone exceeds the limit',
      },
    },
  },
} as const;
