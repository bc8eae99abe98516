import type { BehaviorProfile } from '../records.js';
import { behaviorProfile, profileFields, requiredMembers } from './profile.js';
import { nullable, object, type JsonOf, type JsonSchema } from './json-schema.js';
import { conditionalMembers } from './rules.js';

/** Rules of a safety package, as they are merged into a profile. */
export const packageRules = {
  type: 'object',
  properties: { ...profileFields, require: requiredMembers, ...conditionalMembers },
  additionalProperties: false,
} as const;

/** Body of `POST /v1/agents/{id}/profile/preview`. @param profile schema of the draft @param rules schema of the rules */
export const previewBody = (profile: JsonSchema, rules: JsonSchema): JsonSchema => ({
  type: 'object',
  required: ['profile'],
  properties: {
    profile: {
      ...profile,
      description: 'the draft: fields as in a PATCH of the profile, applied to the profile in force',
    },
    rules: {
      ...rules,
      description: 'merged into the draft as those of a safety package: lists are united, the stricter of two numbers',
    },
    cases: {
      type: 'array',
      minItems: 1,
      maxItems: 1000,
      items: { type: 'object' },
      description:
        'test cases of a policy file, run under the draft by an agent that begins with nothing counted; at most 10,000 checks and 16 Mi characters of actions',
    },
  },
  additionalProperties: false,
});

/** The body as a handler gets it; its members are not validated yet. */
export interface PreviewRequest {
  readonly profile: unknown;
  readonly rules?: unknown;
  readonly cases?: readonly unknown[];
}

const finding = object({
  path: {
    type: 'array',
    items: { type: ['string', 'integer'] },
    description: 'place in the profile: `["rules", 0]`; empty: of no place',
  },
  kind: {
    type: 'string',
    description: '`refused`: a PATCH with the draft is refused; any other: it has no effect, or is probably not meant',
  },
  text: { type: 'string' },
});

const anyProfile: JsonSchema = behaviorProfile;

/** Answer of `POST /v1/agents/{id}/profile/preview`. */
export const profilePreview = object({
  profile: { ...nullable(anyProfile), description: 'as the change would leave it; `null`: it is refused' },
  findings: {
    type: 'array',
    items: finding,
    description: 'the findings of `countersign policy lint` about the draft, the first 100',
  },
  cases: {
    ...nullable(
      object({
        total: { type: 'integer' },
        failures: { type: 'array', items: object({ title: { type: 'string' }, text: { type: 'string' } }) },
      }),
    ),
    description: 'results of the cases; `null`: none were sent, or the draft is refused',
  },
});

export type ProfilePreview = Omit<JsonOf<typeof profilePreview>, 'profile'> & {
  readonly profile: BehaviorProfile | null;
};
