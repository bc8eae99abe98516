import type { JsonValue, LeafEvent } from '@countersign/contracts';
import type { Sha256 } from '../crypto.js';
import { airlineStory, BY, checked, type Drafts, storyAgentOf } from './airline-story.js';
import type { Draft } from './events.js';
import type { Story } from './story-package.js';

type Members = Readonly<Record<string, JsonValue>>;

/** The context of a check: the members that each has, and more. */
export function contextOf(order: number, effect: string, more: Members = {}): Members {
  return {
    request_time: { seconds: 1_772_445_600 + order, offsets: {} },
    effect,
    engine: { engine: '2.0.0', detectors: '2026-03' },
    seen: {
      order,
      frozen: false,
      plan: { used: order - 1, cap: null, expires: null },
      spent: { day: 0, month: 12_500_000 },
      rate: null,
      limits: {},
    },
    ...more,
  };
}

/** Every member that FORMAT.md names, and one of a later release. */
const FULL: Members = {
  request_time: { seconds: 1_772_445_661, offsets: { 'Europe/Zurich': 60, 'America/St_Johns': -210 } },
  seen: {
    order: 3,
    frozen: false,
    plan: { used: 2, cap: 1000, expires: '2026-04-01T00:00:00.000Z', later: 1 },
    spent: { day: 0, month: 12_500_000, later: 1 },
    rate: 7,
    limits: { refunds: '100.000000001', 'per-customer': '0' },
    later: null,
  },
  facts: ['read_mail', 'read_secret'],
  principal: '\u{1F6EB}'.repeat(200),
  session: 's',
  trace: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  actors: [{ id: 'planner', issuer: 'https://id.example.com' }, { id: 'mailer' }],
  approval: { id: '0198a1b2-0000-4000-8000-000000000001', by: 2 },
  parent: '0198a1b2-0000-7000-8000-00000000000a',
  later_member: [null, 1.5],
};

const RULE_DENIED: Partial<LeafEvent> = {
  outcome: 'denied',
  allowed: false,
  reason: 'Refunds above 100 need a person.',
  severity: 'P2',
  violation_type: 'rule_denied',
  rule: 'rules:refund_limit',
};

/** An object with `count` members. */
export function members(count: number): Members {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, i]));
}

/** A check of version 2. */
function check(
  sha256: string,
  fields: Partial<LeafEvent>,
  action: JsonValue,
  context: Members,
  coverage: readonly string[] = ['rules'],
): Draft {
  return { type: 'action.checked', fields: checked(sha256, fields), action, v2: { context, coverage } };
}

const everyDraft: Drafts = (ids, { value, sha256 }) => [
  { type: 'agent.created', action: { name: 'Claims', by: BY }, v2: {} },
  {
    type: 'profile.changed',
    fields: { profileVersion: 2, profileSha256: sha256 },
    action: { profile: value, by: BY },
    v2: { context: { trace: 'of no check: any form' } },
  },
  {
    ...check(
      sha256,
      { actionKind: 'http_call' },
      { url: 'https://api.example.com/', type: 'http_call', '\u20ac': 1, '\u{1F6EB}': 2, '\ufb33': 3, __: '' },
      contextOf(3, 'allow', FULL),
      ['allowed_apis', 'rules', 'spending_limit'],
    ),
    payload: { passenger: 'Zoë \u{1F6EB} "A\\B"\n', seats: [1, 2.5e-7, 1e21, -0], '': null },
  },
  {
    ...check(sha256, { actionKind: 'llm_response' }, { type: 'llm_response' }, contextOf(4, 'allow')),
    payload: { text: 'Your claim is settled.' },
    payloadNotKept: true,
  },
  { ...check(sha256, {}, { type: 'tool_use' }, contextOf(5, 'allow')), payload: ['no', { object: true }] },
  check(sha256, RULE_DENIED, { type: 'tool_use', tool_name: 'refund' }, contextOf(6, 'deny')),
  { type: 'action.outcome', fields: { refersTo: ids[5]!, outcome: 'skipped' }, payload: 'not run', v2: {} },
  check(
    sha256,
    { ...RULE_DENIED, violation_type: 'approval_required' },
    { type: 'tool_use', tool_name: 'refund' },
    contextOf(7, 'approve'),
  ),
  {
    type: 'approval.requested',
    fields: { refersTo: ids[7]!, actionKind: 'tool_use', severity: 'P2', violation_type: 'approval_required' },
    action: { approval: 'a-1' },
    v2: { context: { principal: 'anna' } },
  },
  { type: 'approval.decided', fields: { outcome: 'granted', reason: 'fine' }, action: { approval: 'a-1' }, v2: {} },
  { type: 'approval.consumed', action: { approval: 'a-1' }, payload: 'by a check', v2: {} },
  { type: 'approval.expired', action: 'a-2', v2: {} },
  check(
    sha256,
    { violation_type: 'limit_exceeded', reason: 'More than three refunds.', severity: 'P3', rule: 'limits:refunds' },
    { type: 'tool_use' },
    contextOf(8, 'observe'),
    ['limits'],
  ),
  check(
    sha256,
    { ...RULE_DENIED, violation_type: 'rule_error', actionKind: 'data_access' },
    { type: 'data_access', dataScope: 'claims' },
    contextOf(9, 'modify'),
  ),
  check(sha256, { actionKind: 'other' }, { type: 'something' }, contextOf(10, 'allow'), []),
  check(
    sha256,
    { outcome: 'frozen', allowed: false, reason: 'The agent is frozen.', severity: 'P1' },
    {},
    contextOf(11, 'defer'),
    [],
  ),
  { ...check(sha256, {}, members(32), contextOf(12, 'allow')), payload: members(33) },
  {
    type: 'canary.sent_out',
    fields: { allowed: true, violation_type: 'constructor', outcome: 'odd', refersTo: ids[0]!, severity: 'P1' },
    v2: { context: { what: 1 }, coverage: ['rules'] },
  },
  { ...check(sha256, { violation_type: 'constructor', reason: 'r', severity: 'P3' }, [], contextOf(13, 'observe')) },
  { ...check(sha256, {}, { type: 'tool_use' }, contextOf(14, 'allow')), payload: { card: 'number' }, erased: true },
  { type: 'content.erased', fields: { refersTo: ids[19]! }, action: { by: BY, until: null }, v2: {} },
  { type: 'action.unanswered', fields: { refersTo: ids[4]! }, v2: { context: { n: 1 } } },
];

/** One agent with every kind of leaf of version 2, and no leaf of version 1. */
export function v2Story(sha256: Sha256): Story {
  const windows = [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, null, null];
  return { ...airlineStory(sha256), agents: [storyAgentOf('Claims', 3, windows, everyDraft, sha256)] };
}

const mixedDrafts: Drafts = (ids, { value, sha256 }) => [
  {
    type: 'profile.changed',
    fields: { profileVersion: 2, profileSha256: sha256 },
    action: { profile: value, by: BY },
    v2: {},
  },
  {
    type: 'action.checked',
    fields: checked(sha256, {}),
    action: { type: 'tool_use', tool_name: 'choose_seat', estimatedCost: 4.5 },
    payload: { seat: '12A' },
  },
  {
    ...check(
      sha256,
      {},
      { type: 'tool_use', tool_name: 'choose_seat', estimatedCost: 4.5 },
      contextOf(2, 'allow', { principal: 'anna', session: 'blue' }),
    ),
    payload: { seat: '12A', meal: 'none' },
  },
  check(sha256, RULE_DENIED, { type: 'tool_use', tool_name: 'cancel_all' }, contextOf(3, 'deny')),
  { type: 'action.outcome', fields: { refersTo: ids[3]!, outcome: 'succeeded' }, v2: {} },
  check(
    sha256,
    { actionKind: 'data_access' },
    { type: 'data_access', dataScope: 'bookings', table: 'seats' },
    contextOf(4, 'allow', { principal: 'anna' }),
  ),
  check(sha256, { actionKind: 'other' }, { type: 'something' }, contextOf(5, 'allow'), []),
  check(sha256, { ...RULE_DENIED, violation_type: 'approval_required' }, { type: 'tool_use' }, contextOf(6, 'approve')),
  check(
    sha256,
    { violation_type: 'constructor', reason: 'A kind of a later release.', severity: 'P3' },
    { type: 'tool_use' },
    contextOf(7, 'observe'),
  ),
];

/** Leaves of both versions in one window; the last four are not anchored, so that their leaves may be changed. */
export function mixedStory(sha256: Sha256): Story {
  const windows = [0, 0, 0, 0, 0, null, null, null, null];
  return { ...airlineStory(sha256), agents: [storyAgentOf('Seats', 3, windows, mixedDrafts, sha256)] };
}
