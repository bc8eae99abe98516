import { VIOLATION_TYPES } from '../leaf.js';
import { isoTime, uuid } from './fragments.js';
import { profilePatch } from './profile.js';
import { nullable, object, type JsonOf, type JsonSchema } from './json-schema.js';

/** Body of `POST /v1/agents/{id}/profile/dry-run`. */
export const dryRunBody: JsonSchema = {
  type: 'object',
  required: ['profile', 'from', 'to'],
  properties: {
    profile: {
      ...profilePatch,
      description: 'the draft: fields as a PATCH of the profile takes them, laid over the profile in force',
    },
    from: { ...isoTime, description: 'checks of this time and later' },
    to: { ...isoTime, description: 'checks before this time' },
  },
  additionalProperties: false,
};

const count = { type: 'integer', minimum: 0 } as const;
const counted = (description: string) => ({ ...count, description });
const violationType = nullable({ type: 'string', enum: VIOLATION_TYPES });
const rule = nullable({ type: 'string' });
const verdict = (description: string) => ({
  ...object({
    allowed: { type: 'boolean' },
    violation_type: { ...violationType, description: 'present although allowed: found in observe mode' },
    rule,
  }),
  description,
});

const anything = { description: 'as it was sent; null where it was not' };
const example = object({
  eventId: uuid,
  occurredAt: isoTime,
  action: nullable({
    ...object({ type: anything, url: anything, tool_name: anything, dataScope: anything, estimatedCost: anything }),
    description: 'as the list of events shows it, without metadata; null where it is longer than 4,096 characters',
  }),
  before: verdict('as recorded'),
  after: verdict('by the draft'),
});

/** What `POST /v1/agents/{id}/profile/dry-run` gives. */
export const dryRun = object({
  agentId: uuid,
  range: object({ from: isoTime, to: isoTime }),
  profileVersion: { type: 'integer', minimum: 1, description: 'of the profile that the draft was laid over' },
  countedBefore: {
    ...object({
      since: nullable({
        ...isoTime,
        description: 'start of what was read before `from`; null: the draft has no limit that reaches back',
      }),
      checks: counted('recorded checks of that time'),
      complete: {
        type: 'boolean',
        description: 'false: there are more of them than are read, and the oldest are not counted',
      },
    }),
    description:
      'What spending and rate start with at `from`: what was counted before under the profiles in force then, as if the draft had replaced them at `from`.',
  },
  checks: counted('recorded checks in the range'),
  evaluated: counted('of them, judged by the draft'),
  unchanged: counted('of those judged, allowed or denied as they were'),
  notEvaluated: {
    ...object({
      count: counted('checks that cannot be judged; spending and rate count them as they were recorded'),
      erased: counted('the content was erased'),
      payloadNotKept: counted('an output rule of the draft would need the payload, which was not stored'),
      frozen: counted('refused because the agent was frozen'),
      plan: counted('refused by the plan of the account'),
    }),
    description: 'Recorded checks that the draft says nothing of, by reason.',
  },
  flips: object({ toDenied: count, toAllowed: count }),
  freezes: counted('denials that would freeze the agent; what follows is judged as if it had been unfrozen at once'),
  byRule: {
    type: 'array',
    description:
      'most flips first; a check that would be denied stands under the rule of the draft that denies it, one that would be allowed under the rule that denied it',
    items: object({
      violation_type: violationType,
      rule,
      toDenied: count,
      toAllowed: count,
      examples: { type: 'array', items: example, maxItems: 5, description: 'the first of them, 100 in all at most' },
    }),
  },
  truncatedAt: nullable({
    ...isoTime,
    description: 'the range holds more than one answer judges: this is the time of the first event that was left out',
  }),
});

export type DryRunAnswer = JsonOf<typeof dryRun>;
