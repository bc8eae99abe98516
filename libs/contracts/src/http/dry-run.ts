import { VIOLATION_TYPES } from '../leaf.js';
import { isoTime, uuid } from './fragments.js';
import { profilePatch } from './profile.js';
import { nullable, object, type JsonOf, type JsonSchema } from './json-schema.js';

/** Body of `POST /v1/agents/{id}/profile/dry-run`. */
export const dryRunBody: JsonSchema = {
  type: 'object',
  required: ['profile'],
  properties: {
    profile: {
      ...profilePatch,
      description: 'the draft: fields as in a PATCH of the profile, applied to the profile in force',
    },
    from: { ...isoTime, description: 'checks of this time and later' },
    to: { ...isoTime, description: 'checks before this time' },
    latest: {
      type: 'integer',
      minimum: 1,
      maximum: 2000,
      description: 'instead of `from` and `to`: the newest checks, this many, and those of the same millisecond',
    },
  },
  additionalProperties: false,
};

const count = { type: 'integer', minimum: 0 } as const;
const counted = (description: string) => ({ ...count, description });
const violationType = {
  type: ['string', 'null'],
  description: `one of ${VIOLATION_TYPES.join(', ')}; a later release may add others`,
} as const;
const rule = nullable({ type: 'string' });
const verdict = (description: string) => ({
  ...object({
    allowed: { type: 'boolean' },
    violation_type: { ...violationType, description: 'present for an allowed check: found in observe mode' },
    rule,
  }),
  description,
});

const anything = { description: 'as it was sent; null if it was not sent' };
const example = object({
  eventId: uuid,
  occurredAt: isoTime,
  action: nullable({
    ...object({ type: anything, url: anything, tool_name: anything, dataScope: anything, estimatedCost: anything }),
    description: 'as the list of events shows it, without metadata; null if it is longer than 4,096 characters',
  }),
  before: verdict('as recorded'),
  after: verdict('by the draft'),
});

/** Answer of `POST /v1/agents/{id}/profile/dry-run`. */
export const dryRun = object({
  agentId: uuid,
  range: object({ from: isoTime, to: isoTime }),
  profileVersion: { type: 'integer', minimum: 1, description: 'version of the profile to which the draft was applied' },
  countedBefore: {
    ...object({
      since: nullable({
        ...isoTime,
        description:
          'start of the checks that were read before `from`; null: no limit or fact of the draft needs earlier checks',
      }),
      checks: counted('recorded checks from `since` to `from`'),
      complete: {
        type: 'boolean',
        description: 'false: there are more of them than are read; the oldest are not counted',
      },
    }),
    description:
      'Initial spending, rate, facts and limits at `from`: counted and set before it under the profiles in force then, as if the draft had replaced them at `from`.',
  },
  checks: counted('recorded checks in the range'),
  evaluated: counted('checks that were judged by the draft'),
  unchanged: counted('judged checks with the same decision'),
  notEvaluated: {
    ...object({
      count: counted('checks that cannot be judged; they count as they were recorded'),
      erased: counted('the content was erased'),
      payloadNotKept: counted('a rule of the draft needs the payload, which was not stored'),
      frozen: counted('refused because the agent was frozen'),
      plan: counted('refused by the plan of the account'),
    }),
    description: 'Recorded checks without a decision by the draft, by reason.',
  },
  flips: object({ toDenied: count, toAllowed: count }),
  freezes: counted('denials that would freeze the agent; later checks are judged as if it had been unfrozen at once'),
  byRule: {
    type: 'array',
    description:
      'most changes first; a check that would be denied is listed under the rule of the draft that denies it, one that would be allowed under the rule that denied it',
    items: object({
      violation_type: violationType,
      rule,
      toDenied: count,
      toAllowed: count,
      examples: { type: 'array', items: example, maxItems: 5, description: 'the first ones; at most 100 in total' },
    }),
  },
  truncatedAt: nullable({
    ...isoTime,
    description: 'the range holds more events than one answer covers: the time of the first event that was left out',
  }),
});

export type DryRunAnswer = JsonOf<typeof dryRun>;
