import type { JsonValue, LeafEvent } from '@countersign/contracts';
import type { Sha256 } from '../crypto.js';
import { type Draft, hashOfJson, STORY_START, storyEvent, storyUuid, type StoryEvent } from './events.js';
import type { Story, StoryAgent } from './story-package.js';

export const BY: JsonValue = { kind: 'user', id: 'user-1' };

/** Two agents of an airline, with every type of event and every status. */
export function airlineStory(sha256: Sha256): Story {
  const desk = storyAgentOf('Booking desk', 7, [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, null], deskDrafts, sha256);
  const refunds = storyAgentOf('Refunds', 1, [0, 2, 2, null], refundDrafts, sha256);
  return {
    agents: [desk, refunds],
    otherAgents: 3,
    range: { from: '2026-03-02T10:00:00.000Z', to: '2026-03-02T10:30:00.000Z' },
    anchored: true,
    controls: [{ framework: 'soc2', controlId: 'CC7.2', title: 'Monitoring of system components', relation: 'direct' }],
  };
}

/** The smallest story for tampering tests: two agents, two windows, one event not anchored yet. */
export function smallStory(sha256: Sha256): Story {
  return {
    ...airlineStory(sha256),
    agents: [
      storyAgentOf('Seating', 3, [0, 0, 1, 1, null], seatDrafts, sha256),
      storyAgentOf('Meals', 1, [0], refundDrafts, sha256),
    ],
    otherAgents: 2,
  };
}

export type Drafts = (
  ids: readonly string[],
  profile: { readonly value: JsonValue; readonly sha256: string },
) => readonly Draft[];

export function storyAgentOf(
  name: string,
  firstSequence: number,
  windows: readonly (number | null)[],
  drafts: Drafts,
  sha256: Sha256,
): StoryAgent {
  const id = storyUuid(name, STORY_START, sha256);
  const atMs = (i: number): number => STORY_START + 1000 + i * 60_000;
  const ids = windows.map((_, i) => storyUuid(`${name} ${i}`, atMs(i), sha256));
  const value = { agent_id: id, version: 2, mode: 'enforce', spending_limit: 250.5, blocked_apis: ['*.example.net'] };
  const profile = { value, sha256: hashOfJson(value, sha256) };
  const events = drafts(ids, profile)
    .slice(0, windows.length)
    .map((draft, i): StoryEvent =>
      storyEvent(draft, { agentId: id, eventId: ids[i]!, atMs: at(draft, atMs(i)) }, sha256),
    );
  return { id, name, firstSequence, events, windows };
}

/** One of several clocks ran ahead: this event lies between others but outside the range. */
function at(draft: Draft, ms: number): number {
  return draft.fields?.detail === 'clock ahead' ? STORY_START + 3_600_000 : ms;
}

/** The fields of a check that was allowed, unless others are given. */
export function checked(sha256: string, fields: Partial<LeafEvent>): Partial<LeafEvent> {
  return {
    outcome: 'allowed',
    allowed: true,
    actionKind: 'tool_use',
    profileVersion: 2,
    profileSha256: sha256,
    ...fields,
  };
}

const DENIED: Partial<LeafEvent> = {
  outcome: 'denied',
  allowed: false,
  reason: 'The tool is off limits.',
  severity: 'P1',
  violation_type: 'off_limits_action',
  rule: 'off_limits_actions:cancel_*',
};

const deskDrafts: Drafts = (ids, profile) => [
  { type: 'agent.created', action: { name: 'Booking desk', by: BY } },
  {
    type: 'profile.changed',
    fields: { profileVersion: 2, profileSha256: profile.sha256 },
    action: { profile: profile.value, by: BY },
  },
  {
    type: 'action.checked',
    fields: checked(profile.sha256, { actionKind: 'http_call', detail: 'spent 12.5 of 250.5' }),
    action: { type: 'http_call', url: 'https://api.example.com/v1/flights', estimatedCost: 12.5 },
    payload: { passenger: 'Zoë \u{1F6EB} "A\\B"\n', seats: [1, 2.5e-7, 1e21, -0, 333333333.3333333], '\u20ac': null },
  },
  {
    type: 'action.checked',
    fields: checked(profile.sha256, { actionKind: 'llm_response' }),
    action: { type: 'llm_response' },
    payload: 'Your flight is booked.',
    payloadNotKept: true,
  },
  {
    type: 'action.checked',
    fields: checked(profile.sha256, DENIED),
    action: { type: 'tool_use', tool_name: 'cancel_all' },
  },
  { type: 'action.outcome', fields: { refersTo: ids[4]!, outcome: 'skipped' }, payload: 'not run' },
  {
    type: 'action.checked',
    fields: checked(profile.sha256, DENIED),
    action: { type: 'tool_use', tool_name: 'cancel_one' },
  },
  { type: 'action.outcome', fields: { refersTo: ids[6]!, outcome: 'succeeded' } },
  {
    type: 'action.checked',
    fields: checked(profile.sha256, { ...DENIED, outcome: 'allowed', allowed: true }),
    action: { type: 'tool_use', tool_name: 'cancel_two' },
  },
  {
    type: 'action.checked',
    fields: checked(profile.sha256, { actionKind: 'data_access' }),
    action: { type: 'data_access' },
  },
  {
    type: 'action.checked',
    fields: checked(profile.sha256, { actionKind: 'data_access', detail: 'clock ahead' }),
    action: { type: 'data_access', dataScope: 'bookings' },
  },
  { type: 'action.checked', fields: checked(profile.sha256, {}), action: { type: 'tool_use', toolName: 'get_user' } },
  { type: 'action.unanswered', fields: { refersTo: ids[11]! } },
  {
    type: 'action.checked',
    fields: checked(profile.sha256, {}),
    action: { type: 'tool_use' },
    payload: 'card number',
    erased: true,
  },
  { type: 'content.erased', fields: { refersTo: ids[13]! }, action: { by: BY, until: null } },
  { type: 'action.outcome', fields: { refersTo: ids[13]!, outcome: 'failed' }, payload: { error: 'timeout' } },
];

export const refundDrafts: Drafts = (_ids, profile) => [
  { type: 'agent.created', action: { name: 'Refunds', by: BY } },
  { type: 'agent.frozen', action: { reason: 'review', by: BY } },
  {
    type: 'action.checked',
    fields: checked(profile.sha256, {
      outcome: 'frozen',
      allowed: false,
      reason: 'The agent is frozen.',
      severity: 'P1',
      actionKind: 'other',
    }),
    action: { type: 'wire_transfer', metadata: { note: 'urgent' } },
  },
  { type: 'agent.unfrozen', action: { reason: null, by: BY } },
];

export const seatDrafts: Drafts = (ids, profile) => [
  {
    type: 'profile.changed',
    fields: { profileVersion: 2, profileSha256: profile.sha256 },
    action: { profile: profile.value, by: BY },
  },
  {
    type: 'action.checked',
    fields: checked(profile.sha256, {}),
    action: { type: 'tool_use', tool_name: 'choose_seat', estimatedCost: 4.5 },
    payload: { seat: '12A' },
  },
  {
    type: 'action.checked',
    fields: checked(profile.sha256, DENIED),
    action: { type: 'tool_use', tool_name: 'cancel_all' },
  },
  { type: 'action.outcome', fields: { refersTo: ids[2]!, outcome: 'succeeded' } },
  {
    type: 'action.checked',
    fields: checked(profile.sha256, { actionKind: 'data_access' }),
    action: { type: 'data_access' },
    erased: true,
  },
];
