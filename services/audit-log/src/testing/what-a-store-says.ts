import type { EventFilter } from '../domain/event-filter.js';
import type { EventStore } from '../store/port.js';
import { ACCOUNT, agentId, START } from './envelopes.js';
import { AGENTS, numberedEvent } from './partitioned-log.js';

const HOUR = 3_600_000;
const ALL = { limit: 10_000, offset: 0 };

const FILTERS: readonly EventFilter[] = [
  {},
  { allowed: false },
  { type: 'content.erased' },
  { agentId: agentId(2), outcome: 'allowed' },
  { fromMs: START + 10_000, toMs: START + 3 * HOUR },
];

/** All that can be asked of a store which holds a log of `numberedEvent`s. */
export async function whatItSays(store: EventStore, events: number): Promise<unknown> {
  const agents = Array.from({ length: AGENTS }, (_, n) => agentId(n));
  const targets = Array.from({ length: Math.min(events, 100) }, (_, n) => numberedEvent(n).leaf.eventId);
  const heads = await store.unpublishedHeads(100);
  return {
    positions: await store.positions('agent-events'),
    heads: [...heads].sort((a, b) => (a.agentId < b.agentId ? -1 : 1)),
    lists: await inTurn(FILTERS, (filter) => store.list(ACCOUNT, filter, ALL)),
    page: await store.list(ACCOUNT, { allowed: true }, { limit: 3, offset: 7 }),
    archive: await inTurn(agents, (agent) => store.range(agent, 1, 10_000, 10_000)),
    ids: await inTurn(agents, (agent) => store.eventIds(agent, 2, 7)),
    spans: await inTurn(agents, (agent) => store.span(agent, START + HOUR, START + 2 * HOUR)),
    referring: await store.referring(targets),
    leaves: await store.leaves(targets),
    inbox: await store.inbox(ACCOUNT),
    open: await store.openAlerts(ACCOUNT, ALL),
  };
}

async function inTurn<T, R>(items: readonly T[], ask: (item: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  for (const item of items) answers.push(await ask(item));
  return answers;
}
