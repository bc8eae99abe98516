import type { JsonValue, LeafEvent } from '@countersign/contracts';
import type { Sha256 } from '../crypto.js';
import { airlineStory, BY } from './airline-story.js';
import { type Draft, hashOfJson, STORY_START, storyEvent, storyUuid } from './events.js';
import type { Story } from './story-package.js';

type Members = Readonly<Record<string, JsonValue>>;
type Seen = Readonly<{
  day?: number;
  rate?: number;
  limits?: Members;
  order?: number;
  frozen?: boolean;
  plan?: Members;
}>;

/** A check of the story: what it says, and what it saw. */
export interface StoryCheck {
  readonly action: Members;
  readonly payload?: Members;
  readonly leaf: Partial<LeafEvent>;
  readonly coverage: readonly string[];
  readonly seen: Seen;
  readonly facts?: readonly string[];
  /** The approval that the check found. */
  readonly approval?: Members;
  /** Default: `allow` or `deny`. */
  readonly effect?: string;
  /** Version of the engine that judged; default: that of the other checks. */
  readonly engine?: string;
}

/** What a case changes before the story is anchored and signed. */
export interface Retelling {
  readonly profile?: (profile: Members) => Members;
  readonly checks?: (checks: readonly StoryCheck[]) => readonly StoryCheck[];
  readonly drafts?: (drafts: readonly Draft[]) => readonly Draft[];
}

const PROFILE: Members = {
  version: 2,
  mode: 'enforce',
  allowed_apis: [],
  blocked_apis: [],
  spending_limit: 10,
  spending_window: 'day',
  rate_limit: { max: 4, per_seconds: 3600 },
  off_limits_actions: ['wire'],
  allowed_actions: [],
  allowed_data_scopes: [],
  blocked_data_scopes: [],
  freeze_on_violation: false,
  store_payload: true,
  output_rules: null,
  rules: [{ id: 'no-send', tools: ['send'], when: 'facts.secret', effect: 'deny' }],
  facts: [{ id: 'secret', set_when: "has(args.path) && args.path == '/secrets/key'", scope: 'agent' }],
  limits: [{ id: 'refunds', tools: ['refund'], sum: 'args.amount', max_sum: '100', window_seconds: 3600 }],
};

/** Members of the leaf of a check that is allowed. */
export const ALLOWED: Partial<LeafEvent> = { outcome: 'allowed', allowed: true };

/** Members of the leaf of a check that is denied. */
export function denied(violation: string, severity: LeafEvent['severity'], rule: string): Partial<LeafEvent> {
  return { outcome: 'denied', allowed: false, reason: 'r', severity, violation_type: violation, rule };
}

/** What covers every action under the profile of the story. */
export const USUAL = ['off_limits_actions', 'rate_limit'] as const;
const PAID = [...USUAL, 'spending_limit'] as const;

const CHECKS: readonly StoryCheck[] = [
  { action: { tool_name: 'search', estimatedCost: 4 }, leaf: ALLOWED, coverage: PAID, seen: { day: 0, rate: 0 } },
  {
    action: { tool_name: 'wire' },
    leaf: denied('off_limits_action', 'P1', 'off_limits_actions:wire'),
    coverage: USUAL,
    seen: { day: 4, rate: 1 },
  },
  {
    action: { tool_name: 'read_file' },
    payload: { path: '/secrets/key' },
    leaf: ALLOWED,
    coverage: USUAL,
    seen: { day: 4, rate: 1 },
  },
  {
    action: { tool_name: 'send' },
    payload: { to: 'x@example.com' },
    leaf: denied('rule_denied', 'P2', 'rules:no-send'),
    coverage: [...USUAL, 'rules'],
    seen: { day: 4, rate: 2 },
    facts: ['secret'],
  },
  {
    action: { tool_name: 'refund' },
    payload: { amount: 60 },
    leaf: ALLOWED,
    coverage: ['limits', ...USUAL],
    seen: { day: 4, rate: 2, limits: { refunds: '0' } },
  },
  {
    action: { tool_name: 'refund' },
    payload: { amount: 50 },
    leaf: denied('limit_exceeded', 'P2', 'limits:refunds'),
    coverage: ['limits', ...USUAL],
    seen: { day: 4, rate: 3, limits: { refunds: '60' } },
  },
  {
    action: { tool_name: 'search', estimatedCost: 7 },
    leaf: denied('spending_limit_exceeded', 'P2', 'spending_limit:10'),
    coverage: PAID,
    seen: { day: 4, rate: 3 },
  },
  { action: { tool_name: 'search', estimatedCost: 6 }, leaf: ALLOWED, coverage: PAID, seen: { day: 4, rate: 3 } },
  {
    action: { tool_name: 'search' },
    leaf: denied('rate_limit_exceeded', 'P3', 'rate_limit:4/3600s'),
    coverage: USUAL,
    seen: { day: 10, rate: 4 },
  },
];

/** One agent, its profile, and a check for each step of the judgement; index 0 of the events is the profile. */
export function redecideStory({ profile, checks, drafts }: Retelling, sha256: Sha256): Story {
  const id = storyUuid('Redecided', STORY_START, sha256);
  const value = (profile ?? ((same) => same))({ agent_id: id, ...PROFILE });
  const profileSha256 = hashOfJson(value, sha256);
  const checksOfStory = (checks ?? ((same) => same))(CHECKS);
  const all: readonly Draft[] = [
    {
      type: 'profile.changed',
      fields: { profileVersion: 2, profileSha256 },
      action: { profile: value, by: BY },
      v2: {},
    },
    ...checksOfStory.map((check, i) => draftOf(check, i, profileSha256)),
  ];
  const final = (drafts ?? ((same) => same))(all);
  const atMs = (i: number): number => STORY_START + 1000 + i * 60_000;
  const events = final.map((draft, i) => {
    const eventId = storyUuid(`Redecided ${i}`, atMs(i), sha256);
    return storyEvent(draft, { agentId: id, eventId, atMs: atMs(i) }, sha256);
  });
  const windows = final.map((_, i) => Math.floor((1000 + i * 60_000) / 300_000));
  return { ...airlineStory(sha256), agents: [{ id, name: 'Redecided', firstSequence: 1, events, windows }] };
}

function draftOf(check: StoryCheck, i: number, profileSha256: string): Draft {
  const { action, payload, leaf, coverage, seen, facts, approval } = check;
  const { day = 0, rate = 0, limits = {}, order = i + 1, frozen = false } = seen;
  const { effect = leaf.allowed === true ? 'allow' : 'deny', engine = '1' } = check;
  const plan = { used: i, cap: null, expires: null, ...seen.plan };
  const micros = day * 1_000_000;
  const context: Members = {
    request_time: { seconds: STORY_START / 1000 + 61 + i * 60, offsets: {} },
    effect,
    engine: { engine, detectors: '1' },
    seen: {
      ...{ order, frozen, plan },
      ...{ spent: { day: micros, month: micros }, rate, limits },
    },
    ...(facts === undefined ? {} : { facts }),
    ...(approval === undefined ? {} : { approval }),
  };
  return {
    type: 'action.checked',
    fields: { actionKind: 'tool_use', profileVersion: 2, profileSha256, ...leaf },
    action: { type: 'tool_use', ...action },
    ...(payload === undefined ? {} : { payload }),
    v2: { context, coverage: [...coverage].sort() },
  };
}
