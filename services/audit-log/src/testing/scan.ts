import fc from 'fast-check';
import { traceIdOf } from '@countersign/contracts';
import type { EventEnvelope } from '@countersign/contracts';
import { isByPerson, type EventFilter } from '../domain/event-filter.js';
import { agentId, START } from './envelopes.js';

const HOUR = 3_600_000;

/** Any filter over the events of a few agents in the hours after `START`. */
export const anyFilter: fc.Arbitrary<EventFilter> = fc.record(
  {
    agentId: fc.integer({ min: 0, max: 5 }).map(agentId),
    fromMs: fc.integer({ min: START - HOUR, max: START + 6 * HOUR }),
    toMs: fc.integer({ min: START - HOUR, max: START + 6 * HOUR }),
    type: fc.constantFrom('action.checked', 'agent.frozen', 'agent.created', 'approval.requested', 'later.type'),
    outcome: fc.constantFrom('allowed', 'denied', 'frozen'),
    allowed: fc.boolean(),
    kind: fc.constantFrom('account', 'agents'),
    violationType: fc.constantFrom('api_not_allowed', 'unsafe_output', 'rule_denied', 'constructor'),
  },
  { requiredKeys: [] },
);

/** Ids of what the filter lets through, newest first, found by looking at everything. */
export function scan(all: readonly EventEnvelope[], filter: EventFilter): string[] {
  return all
    .map((one, n) => ({
      n,
      leaf: one.leaf,
      openings: one.openings,
      trace: traceIdOf(one.openings),
      at: Date.parse(one.leaf.occurredAt),
    }))
    .filter(({ leaf }) => filter.agentId === undefined || leaf.agentId === filter.agentId)
    .filter(({ at }) => (filter.fromMs === undefined || at >= filter.fromMs) && at < (filter.toMs ?? Infinity))
    .filter(({ leaf }) => filter.type === undefined || leaf.type === filter.type)
    .filter(({ leaf }) => filter.outcome === undefined || leaf.outcome === filter.outcome)
    .filter(({ leaf }) => filter.allowed === undefined || leaf.allowed === filter.allowed)
    .filter(({ leaf }) => filter.violationType === undefined || leaf.violation_type === filter.violationType)
    .filter(({ trace }) => filter.trace === undefined || trace === filter.trace)
    .filter(({ leaf }) => filter.rule === undefined || leaf.rule === filter.rule)
    .filter(({ leaf }) => filter.kind === undefined || leaf.type.startsWith('account.') === (filter.kind === 'account'))
    .filter(
      ({ leaf, openings }) =>
        filter.by === undefined || (!leaf.type.startsWith('action.') && isByPerson(leaf, openings, filter.by)),
    )
    .sort((a, b) => b.at - a.at || b.n - a.n)
    .map(({ leaf }) => leaf.eventId);
}
