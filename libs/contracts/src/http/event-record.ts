import { CHECK_OUTCOMES, LEAF_TYPES, REPORTED_OUTCOMES, SEVERITIES, VIOLATION_TYPES, type JsonValue } from '../leaf.js';
import type { ListedAction } from '../listed-action.js';
import { instant, sha256Hex, uuid } from './fragments.js';
import { nullable, type JsonOf } from './json-schema.js';

/** Schema of an event in lists. */
export const eventRecord = {
  type: 'object',
  required: [
    'eventId',
    'type',
    'agentId',
    'refersTo',
    'occurredAt',
    'sequence',
    'outcome',
    'allowed',
    'reason',
    'severity',
    'violation_type',
    'detail',
    'action',
    'payloadSha256',
    'profileVersion',
    'anchored',
    'rule',
  ],
  properties: {
    eventId: uuid,
    type: { type: 'string', description: `one of ${LEAF_TYPES.join(', ')}; a later release may add others` },
    agentId: uuid,
    refersTo: nullable(uuid),
    occurredAt: instant,
    sequence: { type: 'integer', minimum: 1 },
    outcome: {
      type: ['string', 'null'],
      description: `one of ${[...CHECK_OUTCOMES, ...REPORTED_OUTCOMES].join(', ')}; of an approval its own`,
    },
    allowed: { type: ['boolean', 'null'] },
    reason: { type: ['string', 'null'] },
    severity: nullable({ type: 'string', enum: SEVERITIES }),
    violation_type: {
      type: ['string', 'null'],
      description: `one of ${VIOLATION_TYPES.join(', ')}; a later release may add others`,
    },
    detail: { type: ['string', 'null'] },
    action: { description: 'type, url, tool_name, dataScope, estimatedCost and metadata of a check' },
    payloadSha256: nullable(sha256Hex),
    profileVersion: { type: ['integer', 'null'] },
    anchored: { type: 'boolean' },
    rule: {
      type: ['string', 'null'],
      description: 'the rule that denied, or would have: `<field>:<entry>` of the profile; `null`: none',
    },
    ahead: {
      type: 'boolean',
      const: true,
      description:
        'present if `occurredAt` is more than 60 s in the future of the clock that answers: a clock that is ahead dated the event. The event is valid and keeps its time',
    },
  },
} as const;

/** An event as `GET /v1/events` and `GET /v1/alerts` show it. */
export type EventRecord = Omit<JsonOf<typeof eventRecord>, 'action'> & {
  /** A check's action; the committed value of any other type; `null` once erased. */
  readonly action: ListedAction | JsonValue;
};
