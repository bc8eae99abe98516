import type { JsonValue, LeafEvent } from '@countersign/contracts';
import type { Sha256 } from '../crypto.js';
import { browserCrypto } from '../browser/browser-crypto.js';
import { commitV2 } from '../leaf/commitment.js';
import { discloseMembers } from '../leaf/opening.js';
import { STATUS_VERDICTS } from '../package/event-status.js';
import type { StatusVerdict } from '../package/event-status.js';
import { oversightOf } from '../package/oversight.js';
import type { ProblemCode } from '../verify/result.js';
import { airlineStory, checked, type Drafts, storyAgentOf } from './airline-story.js';
import type { Draft } from './events.js';
import { contextOf } from './leaf-v2-story.js';
import type { Story } from './story-package.js';
import { type Loose, restate } from './tampered.js';

/** A change of the package with approvals, which is signed again; `expected`: `null` where it is valid. */
export interface OversightCase {
  readonly name: string;
  readonly description: string;
  readonly expected: ProblemCode | null;
  readonly change: (pkg: Loose) => unknown;
}

const SALT = 'AAAAAAAAAAAAAAAAAAAAAA';
const HASH = 'ab'.repeat(32);

/** Entries of the story; those from DENIED on are not anchored, so that their leaves may be changed. */
const [APPROVED, DENIED, UNDECIDED, ELSEWHERE, USED] = [2, 7, 10, 13, 15];

const wanted: Partial<LeafEvent> = {
  ...{ outcome: 'denied', allowed: false, reason: 'A refund needs a person.', severity: 'P2' },
  ...{ violation_type: 'approval_required', rule: 'rules:refund' },
};

const decision = (
  by: string,
  role: string,
  what: 'approve' | 'deny',
  latencyMs: number,
): Record<string, JsonValue> => ({
  ...{ by, role, decision: what, latencyMs },
});

function approvalDrafts(ids: readonly string[], sha256: string): readonly Draft[] {
  const check = (order: number, fields: Partial<LeafEvent>, effect: string): Draft => ({
    type: 'action.checked',
    fields: checked(sha256, fields),
    action: { type: 'tool_use', tool_name: 'refund', order },
    v2: { context: contextOf(order, effect), coverage: ['rules'] },
  });
  const event = (
    type: string,
    refersTo: string,
    fields: Partial<LeafEvent>,
    more: Record<string, JsonValue>,
  ): Draft => ({
    type,
    fields: { refersTo, rule: 'rules:refund', ...fields },
    action: { approval: 'a', rule: 'refund', ruleSha256: HASH, bindingSha256: HASH, ...more },
    v2: {},
  });
  const until = { expiresAt: '2026-03-02T11:00:00.000Z' };
  const requested = (refersTo: string, fields = {}): Draft => event('approval.requested', refersTo, fields, until);
  const other = { rule: 'rules:wire' };
  return [
    check(1, wanted, 'approve'),
    requested(ids[0]!),
    event(
      'approval.decided',
      ids[0]!,
      { outcome: 'approved' },
      { ...decision('ana', 'owner', 'approve', 2999), shownSha256: HASH },
    ),
    check(2, {}, 'allow'),
    event('approval.consumed', ids[3]!, {}, until),
    check(3, wanted, 'approve'),
    requested(ids[5]!),
    event(
      'approval.decided',
      ids[5]!,
      { outcome: 'denied' },
      {
        ...decision('ben', 'admin', 'deny', 3000),
        earlier: [decision('ana', 'owner', 'approve', 500), decision('\u{1F6EB}', 'owner', 'approve', 700)],
      },
    ),
    check(4, { ...wanted, ...other }, 'approve'),
    requested(ids[8]!, other),
    event('approval.expired', ids[8]!, { ...other, outcome: 'undecided' }, until),
    check(5, { ...wanted, ...other }, 'approve'),
    requested(ids[11]!, { rule: null }),
    {
      ...event(
        'approval.decided',
        sha256UuidOf(ids),
        { outcome: 'approved' },
        decision('\ufb33', 'owner', 'approve', 1),
      ),
      erased: true,
    },
    event('approval.expired', ids[0]!, { outcome: 'unused' }, decision('ana', 'owner', 'approve', 2999)),
    event('approval.expired', ids[4]!, { outcome: 'used' }, decision('\ufb33', 'owner', 'approve', 4000)),
  ];
}

/** The id of a check that is in no package: of the first one, with another end. */
function sha256UuidOf(ids: readonly string[]): string {
  return `${ids[0]!.slice(0, -4)}0000`;
}

/** One agent whose actions waited for a person: approved, denied, decided by nobody, waiting, and from before the package. */
export function oversightStory(sha256: Sha256): Story {
  const drafts: Drafts = (ids, profile) => approvalDrafts(ids, profile.sha256);
  const windows = [0, 0, 0, 0, 0, 0, 0, ...Array.from({ length: 9 }, () => null)];
  return {
    ...airlineStory(sha256),
    anchored: false,
    agents: [storyAgentOf('Refund desk', 1, windows, drafts, sha256)],
  };
}

/** States the figures that the entries give. */
export function stateOversight(pkg: Loose): void {
  pkg.oversight = oversightOf(pkg.events);
}

type Row = readonly [name: string, description: string, change: OversightCase['change']];

/** Changes the entries, and states what they give then. */
const VALID: readonly Row[] = [
  ['valid', 'Approved, denied, expired, pending, and one from before the package.', () => undefined],
  ['withheld', 'Who approved is withheld: it is counted as not shown.', (p) => delete p.events[APPROVED].opened.action],
  [
    'shown-in-part',
    'Of a decision the person is shown, and not how long it took.',
    (p) => {
      const { opened } = p.events[APPROVED];
      const { salt, value } = opened.action;
      opened.action = discloseMembers('action', salt, value, new Set(['by', 'role', 'decision']), browserCrypto.sha256);
    },
  ],
  [
    'no-decision',
    'A decision commits to something else: who decided is not shown.',
    (p) => {
      const value = { by: 'ben', role: 'admin', decision: 'deny', latencyMs: '3000' };
      p.events[DENIED].event.action = commitV2('action', SALT, value, browserCrypto.sha256);
      p.events[DENIED].opened.action = { salt: SALT, value };
    },
  ],
  [
    'odd-outcome',
    'An end that is neither approved nor denied is none.',
    (p) => (p.events[DENIED].event.outcome = 'granted'),
  ],
  [
    'decided-twice',
    'Of two decisions about a check the one with the lower sequence counts, wherever it is listed.',
    (p) => {
      p.events[ELSEWHERE].event.refersTo = p.events[DENIED].event.refersTo;
      for (const list of [p.events, p.inclusionProofs]) list.splice(DENIED, 0, ...list.splice(ELSEWHERE, 1));
    },
  ],
  [
    'contradicted',
    'A leaf says approved and its opening deny: who decided is not shown.',
    (p) => (p.events[DENIED].event.outcome = 'approved'),
  ],
  [
    'used-by-nobody',
    'What was approved was used, and the opening names nobody: who decided is not shown.',
    (p) => {
      const value = { approval: 'a', rule: 'refund', ruleSha256: HASH, bindingSha256: HASH };
      p.events[USED].event.action = commitV2('action', SALT, value, browserCrypto.sha256);
      p.events[USED].opened.action = { salt: SALT, value };
    },
  ],
  ['of-nothing', 'A decision that refers to no check is not counted.', (p) => (p.events[DENIED].event.refersTo = null)],
  [
    'expired-before',
    'An end of the time as it was recorded before it said whether anybody had decided.',
    (p) => {
      const { event } = p.events[UNDECIDED];
      event.outcome = null;
      const { status, statusReason } = STATUS_VERDICTS.satisfied;
      restate(p.events[UNDECIDED], status, statusReason);
      p.summary.gap -= 1;
      p.summary.satisfied += 1;
    },
  ],
];

/** Of two people one has approved. */
const oneOfTwo = (p: Loose, { status, statusReason }: StatusVerdict): void => {
  const entry = p.events[UNDECIDED];
  const { approval, rule, ruleSha256, bindingSha256 } = entry.opened.action.value;
  const value = { approval, rule, ruleSha256, bindingSha256, ...decision('ben', 'admin', 'approve', 3000) };
  entry.event.outcome = 'too_few';
  entry.event.action = commitV2('action', SALT, value, browserCrypto.sha256);
  entry.opened.action = { salt: SALT, value };
  stateOversight(p);
  restate(entry, status, statusReason);
};

/** Changes of what the package states. */
const DIFFERENT: readonly Row[] = [
  [
    'denials-hidden',
    'States that nothing was denied.',
    (p) => {
      p.oversight.totals.denied = 0;
      p.oversight.totals.approved += 1;
    },
  ],
  ['expired-hidden', 'States that somebody decided in time.', (p) => (p.oversight.totals.expired = 0)],
  ['used-more', 'States a use more than there was.', (p) => (p.oversight.consumed += 1)],
  ['slower', 'States that decisions took longer.', (p) => (p.oversight.latency.medianMs += 60_000)],
  ['not-fast', 'States that nobody decided in less than three seconds.', (p) => (p.oversight.people[0].under3s = 0)],
  ['person-left-out', 'Leaves a person out.', (p) => p.oversight.people.pop()],
  ['person-renamed', 'Names another person.', (p) => (p.oversight.people[0].by = 'eve')],
  ['people-swapped', 'Lists people in another order.', (p) => p.oversight.people.reverse()],
  ['rule-left-out', 'Leaves a rule out.', (p) => p.oversight.rules.shift()],
  ['rule-refused', 'States that a rule was refused once more.', (p) => (p.oversight.rules.at(-1).denied += 1)],
  ['all-shown', 'Hides that who decided is not shown.', (p) => (p.oversight.notShown.erased = 0)],
  ['withheld-after', 'Names a person whose decision is withheld.', (p) => delete p.events[APPROVED].opened.action],
  ['none', 'States that there were no approvals.', (p) => (p.oversight = oversightOf([]))],
];

const MALFORMED: readonly Row[] = [
  ['no-totals', 'Has no totals.', (p) => delete p.oversight.totals],
  ['no-rules', 'Has no rules.', (p) => delete p.oversight.rules],
  ['median-text', 'A time as a text.', (p) => (p.oversight.latency.medianMs = '3')],
  ['person-number', 'A person who is a number.', (p) => (p.oversight.people[0].by = 3)],
  ['fraction', 'Half a decision.', (p) => (p.oversight.rules[0].approved = 0.5)],
  ['list', 'A list instead of its object.', (p) => (p.oversight = [])],
];

const made = (rows: readonly Row[], expected: ProblemCode | null, isStatedAfter: boolean): readonly OversightCase[] =>
  rows.map(([name, description, change]) => ({
    ...{ name, description, expected },
    change: (pkg) => {
      if (!isStatedAfter) stateOversight(pkg);
      change(pkg);
      if (isStatedAfter) stateOversight(pkg);
    },
  }));

export const OVERSIGHT_CASES: readonly OversightCase[] = [
  ...made(VALID, null, true),
  ...made(DIFFERENT, 'oversight-differs', false),
  ...made(MALFORMED, 'structure', false),
  {
    name: 'too-few',
    description: 'A request that one of two people approved in time.',
    expected: null,
    change: (pkg) => oneOfTwo(pkg, STATUS_VERDICTS.tooFew),
  },
  {
    name: 'too-few-undecided',
    description: 'A request that one of two people approved in time, said to be decided by nobody.',
    expected: 'status-differs',
    change: (pkg) => oneOfTwo(pkg, STATUS_VERDICTS.undecided),
  },
  {
    name: 'undecided-satisfied',
    description: 'A request that nobody decided about in time, said to be satisfied.',
    expected: 'status-differs',
    change: (pkg) => {
      stateOversight(pkg);
      const { status, statusReason } = STATUS_VERDICTS.satisfied;
      restate(pkg.events[UNDECIDED], status, statusReason);
    },
  },
];
