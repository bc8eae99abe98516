import type { LeafEvent } from '@countersign/contracts';
import { nodeCrypto } from '../../vectors/node-crypto.mjs';
import { airlineStory } from '../vectors/airline-story.js';
import { unanchored } from '../window/proof.js';
import { eventStatus, namesDataScope, STATUS_VERDICTS, type StatusFacts } from './event-status.js';
import { summarize } from './summary.js';

const leaves = airlineStory(nodeCrypto.sha256).agents.flatMap(({ events }) => events.map(({ leaf }) => leaf));
const allowed = leaves.find(({ outcome, violation_type }) => outcome === 'allowed' && violation_type === null)!;
const denied = leaves.find(({ outcome }) => outcome === 'denied')!;
const frozen = leaves.find(({ outcome }) => outcome === 'frozen')!;
const capped: LeafEvent = { ...frozen, outcome: 'action_cap', severity: 'P3' };
const observed: LeafEvent = { ...denied, outcome: 'allowed', allowed: true };
const data: LeafEvent = { ...allowed, actionKind: 'data_access' };
const ungoverned: LeafEvent = { ...allowed, v: 2, context: '0'.repeat(64), coverage: [] };
const outcome = leaves.find(({ type }) => type === 'action.outcome')!;
const unanswered = leaves.find(({ type }) => type === 'action.unanswered')!;
const created = leaves.find(({ type }) => type === 'agent.created')!;

const facts = (event: LeafEvent, more: Partial<StatusFacts> = {}): StatusFacts => ({
  event,
  holds: true,
  reported: [],
  unanswered: false,
  referred: null,
  dataScope: true,
  ...more,
});

describe('eventStatus', () => {
  it.each<[string, StatusFacts, keyof typeof STATUS_VERDICTS]>([
    ['a proof that fails comes before all else', facts(observed, { holds: false }), 'unproven'],
    ['observe mode let a violation pass', facts(observed), 'observed'],
    ['a denied check, executed', facts(denied, { reported: ['succeeded'] }), 'executed'],
    ['a frozen check, executed in vain', facts(frozen, { reported: ['skipped', 'failed'] }), 'executed'],
    ['that outcome', facts({ ...outcome, outcome: 'failed' }, { referred: capped }), 'execution'],
    [
      'a skipped outcome of a denied check',
      facts({ ...outcome, outcome: 'skipped' }, { referred: denied }),
      'satisfied',
    ],
    ['an outcome of an allowed check', facts({ ...outcome, outcome: 'failed' }, { referred: allowed }), 'satisfied'],
    ['an outcome of an unknown check', facts(outcome), 'satisfied'],
    ['a check whose answer may be lost', facts(denied, { unanswered: true }), 'unanswered'],
    ['the event that says so', facts(unanswered), 'unanswered'],
    ['data access without a scope', facts(data, { dataScope: false }), 'scopeless'],
    ['the same, denied', facts({ ...denied, actionKind: 'data_access' }, { dataScope: false }), 'scopeless'],
    ['data access with a scope', facts(data), 'satisfied'],
    ['another action without a scope', facts(allowed, { dataScope: false }), 'satisfied'],
    ['a check to which nothing applied', facts(ungoverned), 'ungoverned'],
    ['the same, to which a rule applied', facts({ ...ungoverned, coverage: ['rules'] }), 'satisfied'],
    ['the same, refused', facts({ ...frozen, v: 2, coverage: [] }), 'prevented'],
    [
      'the same, of a data access without a scope',
      facts({ ...ungoverned, actionKind: 'data_access' }, { dataScope: false }),
      'scopeless',
    ],
    ['another event to which nothing applied', facts({ ...ungoverned, type: 'later.type' }), 'satisfied'],
    ['denied', facts(denied), 'prevented'],
    ['denied and skipped', facts(denied, { reported: ['skipped'] }), 'prevented'],
    ['frozen', facts(frozen), 'prevented'],
    ['refused by plan', facts(capped), 'prevented'],
    ['allowed and failed', facts(allowed, { reported: ['failed'] }), 'satisfied'],
    ['anything else', facts(created), 'satisfied'],
  ])('%s', (_name, given, verdict) => {
    expect(eventStatus(given)).toEqual(STATUS_VERDICTS[verdict]);
  });

  it('looks for a data scope in the action', () => {
    expect(namesDataScope({ dataScope: 'bookings' })).toBe(true);
    for (const action of [null, 'x', {}, { dataScope: '' }, { dataScope: 1 }])
      expect(namesDataScope(action)).toBe(false);
  });
});

describe('summarize', () => {
  it('counts all entries, and decisions and outcomes of checks alone', () => {
    const events = [allowed, denied, frozen, capped, observed, { ...outcome, refersTo: denied.eventId }, created];
    const entries = events.map((event) => ({ event, status: eventStatus(facts(event)).status }));
    expect(
      summarize(
        entries,
        events.map(({ eventId }) => unanchored(eventId)),
      ),
    ).toEqual({
      events: 7,
      allowed: 2,
      denied: 1,
      frozen: 1,
      capped: 1,
      satisfied: 3,
      prevented: 3,
      gap: 1,
      anchored: 0,
      unanchored: 7,
      byViolation: { off_limits_action: 2 },
      outcomes: { reported: 2, of: 5 },
    });
  });

  it('counts a violation type by whatever name', () => {
    const events = ['constructor', 'constructor', 'later'].map((violation_type) => ({ ...denied, violation_type }));
    const entries = events.map((event) => ({ event, status: 'Prevented' as const }));
    expect(summarize(entries, []).byViolation).toEqual({ constructor: 2, later: 1 });
  });
});
