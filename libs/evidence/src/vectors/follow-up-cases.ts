import { accountStream, type JsonValue, type LeafEvent } from '@countersign/contracts';
import { browserCrypto } from '../browser/browser-crypto.js';
import type { Sha256 } from '../crypto.js';
import { discloseMembers } from '../leaf/opening.js';
import type { ProblemCode } from '../verify/result.js';
import { airlineStory, checked, storyAgentOf } from './airline-story.js';
import { type Draft, STORY_START, storyEvent, storyUuid } from './events.js';
import { contextOf } from './leaf-v2-story.js';
import type { Story } from './story-package.js';
import type { Loose } from './tampered.js';

/** A change of the package with follow-ups, which is signed again unless `signed` is `false`. */
export interface FollowUpCase {
  readonly name: string;
  readonly description: string;
  /** `null`: it is valid. */
  readonly expected: ProblemCode | null;
  readonly change: (pkg: Loose) => unknown;
  readonly signed: boolean;
}

const { sha256 } = browserCrypto;
const AGENT_NAME = 'Ticketing';
const ANNA = '0198a1b2-0000-4000-8000-0000000000aa';
const TRAIL = accountStream('0198a1b2-0000-4000-8000-0000000000cd');
/** Checks of the agent: two refused, one allowed. */
const CHECKS = 3;
/** Entries of the package: its checks, then the trail, of which the last one is not anchored yet. */
const [REFUSED, OTHER_REFUSED, ANCHORED, LATEST] = [0, 1, 4, 6];

const denied: Partial<LeafEvent> = {
  ...{ outcome: 'denied', allowed: false, reason: 'The tool is off limits.', severity: 'P1' },
  ...{ violation_type: 'off_limits_action', rule: 'off_limits_actions:wire' },
};

function checkDrafts(profileSha256: string): readonly Draft[] {
  const check = (order: number, fields: Partial<LeafEvent>, tool: string, effect: string): Draft => ({
    type: 'action.checked',
    fields: checked(profileSha256, fields),
    action: { type: 'tool_use', tool_name: tool },
    v2: { context: contextOf(order, effect), coverage: ['off_limits_actions'] },
  });
  return [check(1, denied, 'wire', 'deny'), check(2, denied, 'wire', 'deny'), check(3, {}, 'search', 'allow')];
}

function trailDrafts(ids: readonly string[]): readonly Draft[] {
  const act = (type: string, refersTo: string | null, content: Record<string, JsonValue>, outcome?: string): Draft => ({
    type,
    fields: { refersTo, detail: `user:${ANNA}`, outcome: outcome ?? null },
    action: { ...content, by: { kind: 'user', id: ANNA } },
    v2: {},
  });
  return [
    act('account.sign_in', null, { address: '192.0.2.7' }, 'succeeded'),
    act('account.alert_followed_up', ids[REFUSED]!, { note: 'The vendor was new; purchasing has added it.' }),
    act('account.alert_followed_up', ids[OTHER_REFUSED]!, { note: 'A retry of the same transfer.' }),
    act('account.alert_followed_up', ids[REFUSED]!, { note: 'The transfer was made by hand on Monday.' }),
  ];
}

/** An agent with refused checks, and the trail of its account, whose events refer to them. */
export function followUpStory(digest: Sha256): Story {
  let ids: readonly string[] = [];
  const windows = Array.from({ length: CHECKS }, () => 0);
  const drafts = (own: readonly string[], profile: { readonly sha256: string }): readonly Draft[] => {
    ids = own;
    return checkDrafts(profile.sha256);
  };
  const agent = storyAgentOf(AGENT_NAME, 1, windows, drafts, digest);
  const events = trailDrafts(ids).map((draft, i) => {
    const atMs = STORY_START + 200_000 + i * 20_000;
    return storyEvent(draft, { agentId: TRAIL, eventId: storyUuid(`follow-up ${i}`, atMs, digest), atMs }, digest);
  });
  const trail = { id: TRAIL, name: 'the account', firstSequence: 1, events, windows: [0, 0, 0, null] };
  return { ...airlineStory(digest), agents: [agent, trail] };
}

/** Names another check as that which was followed up. */
function refer(entry: number, to: (pkg: Loose) => unknown): (pkg: Loose) => void {
  return (pkg) => {
    pkg.events[entry].event.refersTo = to(pkg);
  };
}

const idOf =
  (entry: number) =>
  (pkg: Loose): unknown =>
    pkg.events[entry].event.eventId;

function withholdNote(pkg: Loose): void {
  const { opened } = pkg.events[ANCHORED];
  const { salt, value } = opened.action;
  opened.action = discloseMembers('action', salt, value, new Set(['by']), sha256);
}

function erase(pkg: Loose): void {
  delete pkg.events[ANCHORED].opened.action;
  pkg.events[ANCHORED].erased = true;
}

type Row = readonly [name: string, expected: ProblemCode | null, description: string, change: FollowUpCase['change']];

const ROWS: readonly Row[] = [
  ['valid', null, 'Two refused checks that people followed up, one of them twice.', () => undefined],
  ['note-withheld', null, 'A follow-up without its note still names its check and its person.', withholdNote],
  ['note-erased', null, 'A follow-up whose note was erased still names its check and its person.', erase],
  [
    'of-another-check',
    'proof-root-differs',
    'The issuer lets an anchored follow-up refer to another refused check.',
    refer(ANCHORED, idOf(OTHER_REFUSED)),
  ],
  ['of-nothing', 'proof-root-differs', 'An anchored follow-up refers to nothing.', refer(ANCHORED, () => null)],
  [
    'not-anchored-of-another-check',
    null,
    'The issuer can still change to what a follow-up refers before it is anchored.',
    refer(LATEST, idOf(OTHER_REFUSED)),
  ],
  ['of-no-id', 'leaf-invalid', 'A follow-up that refers to a text.', refer(LATEST, () => 'the last one')],
  ['of-upper-case', 'leaf-invalid', 'A reference in capitals.', refer(LATEST, upper)],
];

function upper(pkg: Loose): string {
  return pkg.events[REFUSED].event.eventId.toUpperCase();
}

/** Of {@link followUpStory}. */
export const FOLLOW_UP_CASES: readonly FollowUpCase[] = [
  ...ROWS.map(([name, expected, description, change]) => ({ name, expected, description, change, signed: true })),
  {
    name: 'altered-after-signing',
    description: 'A holder of the package lets a follow-up refer to another refused check.',
    expected: 'signature-invalid',
    change: refer(ANCHORED, idOf(OTHER_REFUSED)),
    signed: false,
  },
];
