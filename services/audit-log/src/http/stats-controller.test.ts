import type { CheckStatsQuery } from '@countersign/contracts';
import type { RouteInput } from '@countersign/http-edge';
import type { EventStore, HourlyQuery } from '../store/port.js';
import { StatsController } from './stats-controller.js';

const AGENT = '00000000-0000-4000-8000-000000000001';
const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const DENIED = { type: 'action.checked', outcome: 'denied', allowed: false, violationType: 'api_not_allowed' };

/** A store with more violations than are read one by one, five of which are the agent's. */
function controllerOf(agentChanges = 0): { readonly stats: StatsController; readonly read: () => number } {
  let read = 0;
  const store: Partial<EventStore> = {
    countHours: async (_account, { agentIds, filter }: HourlyQuery) => [
      { agentId: null, hour: 0, class: DENIED, count: agentIds === undefined ? 100_001 : 5 },
      ...(filter.type === undefined && agentIds !== undefined
        ? [
            {
              agentId: null,
              hour: 0,
              class: { ...DENIED, type: 'agent.changed', violationType: null },
              count: agentChanges,
            },
          ]
        : []),
    ],
    countSteps: async () => {
      read += 1;
      return [];
    },
    pageAfter: async () => ({ events: [], next: null }),
  };
  const agents = { values: () => [] as never } as never;
  return { stats: new StatsController(store as EventStore, agents, () => NOW), read: () => read };
}

const asking = (query: Partial<CheckStatsQuery>): RouteInput<unknown, CheckStatsQuery> =>
  ({
    caller: { accountId: 'a' },
    query: { by: 'outcome', step: 3600, top: 10, from: '2026-03-01T00:00:00.000Z', ...query },
  }) as unknown as RouteInput<unknown, CheckStatsQuery>;

describe('numbers of checks that are read one by one', () => {
  it('are refused by rule where the account has too many violations, also for an agent with few', async () => {
    const { stats, read } = controllerOf();
    for (const agentId of [undefined, AGENT]) {
      const query = asking({ by: 'rule', ...(agentId !== undefined && { agentId }) });
      await expect(stats.checks(query)).rejects.toThrow('at most 100000 violations of the account');
    }
    expect(read()).toBe(0);
  });

  it('are read in short steps for an agent with few events, of whatever type', async () => {
    const few = controllerOf(99_995);
    await few.stats.checks(asking({ step: 60, agentId: AGENT, from: '2026-03-01T11:00:00.000Z' }));
    expect(few.read()).toBe(1);
    const many = controllerOf(99_996);
    const query = asking({ step: 60, agentId: AGENT, from: '2026-03-01T11:00:00.000Z' });
    await expect(many.stats.checks(query)).rejects.toThrow('at most 100000 events');
  });
});
