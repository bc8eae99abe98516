import { APPROVAL_CODES, APPROVAL_ID_PATTERN, NEXT_ACTIONS } from '../approvals.js';
import { SEVERITIES } from '../leaf.js';
import { object } from './json-schema.js';
import { patchOperations } from './rules.js';

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
  decision: {
    type: 'string',
    enum: ['step_up', 'modify', 'defer'],
    description:
      'how else the action can be allowed: `step_up` after a person has approved it (with `approval_required`), `modify` after a change, `defer` later. Absent: the action is denied',
  },
  code: { type: 'string', description: `of \`approval_required\`: one of ${APPROVAL_CODES.join(', ')}` },
  next_action: {
    type: 'string',
    enum: NEXT_ACTIONS,
    description:
      '`retry`: send the same action again later, with another Idempotency-Key. `request`: send it without X-Approval-Id, which asks for a new approval. `modify`: apply `patch` to the action, and check the result. `none`: do none of these, before `expires_at` where it is given',
  },
  patch: {
    ...patchOperations,
    description:
      'of `modify`: JSON Patch (RFC 6902) of `action` as it was sent, with `add`, `replace` and `remove`. The modified action is judged as any other. Absent where it would not satisfy the rule',
  },
  missing: {
    type: 'array',
    items: text,
    description: 'of `defer`: what has to come true first, such as `facts.kyc_done`',
  },
  retry_after: {
    type: 'integer',
    minimum: 1,
    description: 'of `defer`: seconds until the next retry, as in the header Retry-After',
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
