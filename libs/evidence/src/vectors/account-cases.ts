import { accountStream, type JsonValue } from '@countersign/contracts';
import { browserCrypto } from '../browser/browser-crypto.js';
import type { Sha256 } from '../crypto.js';
import { commitV2 } from '../leaf/commitment.js';
import { discloseMembers } from '../leaf/opening.js';
import type { ProblemCode } from '../verify/result.js';
import { airlineStory } from './airline-story.js';
import { type Draft, STORY_START, storyEvent, storyUuid } from './events.js';
import type { Story } from './story-package.js';
import type { Loose } from './tampered.js';

/** A change of the package of the account's trail that is signed again; `expected`: `null` where it is valid. */
export interface AccountCase {
  readonly name: string;
  readonly description: string;
  readonly expected: ProblemCode | null;
  readonly change: (pkg: Loose) => unknown;
}

const { sha256 } = browserCrypto;
const ANNA = '0198a1b2-0000-4000-8000-0000000000aa';
const BERT = '0198a1b2-0000-4000-8000-0000000000bb';
const ADDRESS = '192.0.2.7';
/** Of an account in the story; its stream has version 8 in the place of 4. */
const ACCOUNT = '0198a1b2-0000-4000-8000-0000000000cc';

function event(type: string, who: string, content: Readonly<Record<string, JsonValue>>, outcome?: string): Draft {
  const by: JsonValue = who.includes('-') ? { kind: 'user', id: who } : { kind: who };
  const detail = who.includes('-') ? `user:${who}` : who;
  return { type, fields: { detail, outcome: outcome ?? null }, action: { ...content, by }, v2: {} };
}

const anna: JsonValue = { id: ANNA, email: 'anna@example.com', role: 'admin' };
const DRAFTS: readonly Draft[] = [
  event('account.user_created', 'operator', { user: anna }),
  event('account.sign_in', ANNA, { user: anna, address: ADDRESS }, 'succeeded'),
  event('account.sign_in', 'unknown', { user: anna, address: ADDRESS, count: 3 }, 'failed'),
  event('account.key_created', ANNA, { key: { id: 'k', name: 'production', prefix: 'cs_live_ab' } }),
  event('account.later_kind', BERT, { anything: [1, null] }, 'odd'),
];
const [CREATED, SIGNED_IN, FAILED, KEY, LATER] = [0, 1, 2, 3, 4];

/** The trail of an account: what its people did. The events from the third on are not anchored. */
export function accountStory(digest: Sha256): Story {
  return storyOf(DRAFTS, 'account', digest);
}

function storyOf(drafts: readonly Draft[], name: string, digest: Sha256): Story {
  const agentId = accountStream(ACCOUNT);
  const events = drafts.map((draft, i) => {
    const atMs = STORY_START + 1000 + i * 60_000;
    return storyEvent(draft, { agentId, eventId: storyUuid(`${name} ${i}`, atMs, digest), atMs }, digest);
  });
  const windows = drafts.map((_, i) => (i < 2 ? 0 : null));
  return { ...airlineStory(digest), agents: [{ id: agentId, name: 'the account', firstSequence: 1, events, windows }] };
}

const REPORT: JsonValue = {
  id: '0198a1b2-0000-4000-8000-0000000000dd',
  from: '2026-03-01T00:00:00.000Z',
  to: '2026-03-02T00:00:00.000Z',
};
const DESTINATION: JsonValue = { id: '0198a1b2-0000-4000-8000-0000000000ee', kind: 'webhook', enabled: true };
/** What people did with reports, alerts and streams; no secret, and of an address its host alone. */
const FURTHER_DRAFTS: readonly Draft[] = [
  event('account.report_issued', ANNA, { report: REPORT, agentIds: [], withhold: ['payload'], trail: 'withheld' }),
  event('account.report_published', ANNA, { report: REPORT }),
  event('account.report_shared', BERT, { report: REPORT, share: { id: 's', form: 'pdf' }, note: 'for the auditor' }),
  event('account.report_share_revoked', ANNA, { report: REPORT, share: { id: 's' } }),
  event('account.report_withdrawn', 'system', { report: REPORT, reason: 'content that it opens was erased' }),
  event('account.alert_destination_created', ANNA, { destination: DESTINATION, to: 'hooks.example.com' }),
  event('account.alert_destination_tested', ANNA, { destination: DESTINATION, status: 500 }, 'failed'),
  event('account.stream_changed', BERT, { stream: { id: 't', kind: 'splunk_hec' }, credentialsChanged: true }),
  event('account.alerts_acknowledged', BERT, { alerts: { open: 12 } }),
];

/** The trail of an account with acts about its reports, alerts and streams. */
export function furtherAccountStory(digest: Sha256): Story {
  return storyOf(FURTHER_DRAFTS, 'further act', digest);
}

function inLeaf(i: number, fields: Loose): (pkg: Loose) => void {
  return (pkg) => Object.assign(pkg.events[i].event, fields);
}

/** Commits another value as the action of an entry. */
function recommit(i: number, change: (value: Loose) => Loose): (pkg: Loose) => void {
  return (pkg) => {
    const { event: leaf, opened } = pkg.events[i];
    const { salt, value } = opened.action;
    const next = change(value);
    leaf.action = commitV2('action', salt, next, sha256);
    opened.action = { salt, value: next };
  };
}

function show(i: number, ...names: string[]): (pkg: Loose) => void {
  return (pkg) => {
    const { opened } = pkg.events[i];
    const { salt, value } = opened.action;
    opened.action = discloseMembers('action', salt, value, new Set(names), sha256);
  };
}

type Row = readonly [name: string, expected: ProblemCode | null, description: string, change: AccountCase['change']];

const ROWS: readonly Row[] = [
  ['valid', null, 'What the people of an account did, also an event of a later kind.', () => undefined],
  ['person-withheld', null, 'A sign-in without the name and the address of the person.', show(SIGNED_IN, 'by')],
  ['by-withheld', null, 'A key whose maker is shown by the leaf alone.', show(KEY, 'key')],
  ['erased', null, 'A person whose data were erased stays a pseudonym.', erase(CREATED)],
  ['by-another', 'opening-inconsistent', 'It shows another person than the leaf names.', recommit(KEY, as(BERT))],
  [
    'by-operator',
    'opening-inconsistent',
    'It shows the operator where the leaf names a user.',
    recommit(KEY, (value) => ({ ...value, by: { kind: 'operator' } })),
  ],
  [
    'by-text',
    'opening-inconsistent',
    'The person is a text.',
    recommit(KEY, (value) => ({ ...value, by: `user:${ANNA}` })),
  ],
  [
    'by-number',
    'opening-inconsistent',
    'The id of the person is a number.',
    recommit(FAILED, (value) => ({ ...value, by: { kind: 'unknown', id: 1 } })),
  ],
  ['by-none', 'opening-inconsistent', 'It shows nobody.', recommit(KEY, ({ by: _by, ...value }) => value)],
  ['by-list', 'opening-inconsistent', 'It shows a list in the place of an object.', recommit(KEY, () => [ANNA])],
  [
    'by-shown-alone',
    'opening-inconsistent',
    'Another person than the leaf names, all else withheld.',
    (pkg) => {
      recommit(KEY, as(BERT))(pkg);
      show(KEY, 'by')(pkg);
    },
  ],
  ['no-person', 'leaf-invalid', 'A leaf that names nobody.', inLeaf(KEY, { detail: null })],
  ['person-form', 'leaf-invalid', 'A person by name.', inLeaf(KEY, { detail: 'Anna' })],
  ['person-no-id', 'leaf-invalid', 'A user without an id.', inLeaf(KEY, { detail: 'user:' })],
  ['person-line-end', 'leaf-invalid', 'An identifier with a line end.', inLeaf(FAILED, { detail: 'unknown\n' })],
  ['of-an-agent', 'leaf-invalid', 'In the events of an agent.', inLeaf(KEY, { agentId: ACCOUNT })],
  ['no-action', 'leaf-invalid', 'Nothing is committed.', inLeaf(KEY, { action: null })],
  ['with-payload', 'leaf-invalid', 'A payload.', inLeaf(KEY, { payload: '0'.repeat(64) })],
  ['with-reason', 'leaf-invalid', 'A reason.', inLeaf(KEY, { reason: 'none' })],
  ['allowed', 'leaf-invalid', 'An event of an account that says allowed.', inLeaf(KEY, { allowed: true })],
  ['later-no-person', 'leaf-invalid', 'An event of a later kind that names nobody.', inLeaf(LATER, { detail: null })],
  ['version-1', 'leaf-invalid', 'As version 1.', inLeaf(KEY, { v: 1 })],
];

function as(id: string): (value: Loose) => Loose {
  return (value) => ({ ...value, by: { kind: 'user', id } });
}

function erase(i: number): (pkg: Loose) => void {
  return (pkg) => {
    delete pkg.events[i].opened.action;
    pkg.events[i].erased = true;
  };
}

/** Numbers in {@link FURTHER_DRAFTS}. */
const [ISSUED, SHARED, TESTED] = [0, 2, 6];

const FURTHER_ROWS: readonly Row[] = [
  ['further-kinds', null, 'What the people of an account did with reports, alerts and streams.', () => undefined],
  ['further-note-withheld', null, 'A link to a report without its note.', show(SHARED, 'by', 'report', 'share')],
  ['further-by-another', 'opening-inconsistent', 'A report by another person.', recommit(ISSUED, as(BERT))],
  ['further-allowed', 'leaf-invalid', 'A test of a destination that says allowed.', inLeaf(TESTED, { allowed: true })],
];

const caseOf = ([name, expected, description, change]: Row): AccountCase => ({ name, expected, description, change });

export const ACCOUNT_CASES: readonly AccountCase[] = ROWS.map(caseOf);
/** Of {@link furtherAccountStory}. */
export const FURTHER_CASES: readonly AccountCase[] = FURTHER_ROWS.map(caseOf);
