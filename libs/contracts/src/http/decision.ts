import { APPROVAL_CODES, APPROVAL_ID_PATTERN, NEXT_ACTIONS } from '../approvals.js';
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
  decision: { const: 'step_up', description: 'with `approval_required`: a person can allow the action' },
  code: { type: 'string', description: `of \`approval_required\`: one of ${APPROVAL_CODES.join(', ')}` },
  next_action: {
    type: 'string',
    enum: NEXT_ACTIONS,
    description:
      '`retry`: send the same action again later, with another Idempotency-Key. `request`: send it without X-Approval-Id, which asks for a new approval. `none`: do neither before `expires_at`',
  },
  approval_id: { type: 'string', pattern: APPROVAL_ID_PATTERN, description: 'absent where no approval is open' },
  approval_url: { type: 'string', description: 'the page on which a person decides; it needs a session' },
  expires_at: {
    type: 'string',
    format: 'date-time',
    description: 'until then a person decides, and the action is retried',
  },
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
