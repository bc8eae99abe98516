import { Controller, Inject } from '@nestjs/common';
import { statsRoutes } from '@countersign/contracts';
import type { AgentStats, AgentStatsQuery, CheckStats, CheckStatsQuery } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { Projection } from '@countersign/topics';
import { agentCounts, checkSeries } from '../domain/check-series.js';
import { HOUR_MS } from '../domain/count-times.js';
import type { OwnedAgent } from '../domain/owned-agent.js';
import { filterOf } from '../list-events/filter-of.js';
import type { EventStore } from '../store/port.js';
import { AGENTS, CLOCK, STORE } from '../tokens.js';

const MOST_STEPS = 1_500;
const MOST_HOURS = 168;
const CHECKS = { type: 'action.checked' };

/** Numbers of checks, from the counts by hour. */
@Controller()
export class StatsController {
  constructor(
    @Inject(STORE) private readonly store: EventStore,
    @Inject(AGENTS) private readonly agents: Projection<OwnedAgent>,
    @Inject(CLOCK) private readonly clock: () => number,
  ) {}

  @HttpRoute(statsRoutes.checkStats)
  async checks(@Input() { query, caller }: RouteInput<unknown, CheckStatsQuery>): Promise<CheckStats> {
    const hoursEach = query.step / 3600;
    const { firstHour, endHour } = this.#hours(query, hoursEach, 24 * hoursEach);
    const count = (endHour - firstHour) / hoursEach;
    if (count > MOST_STEPS) throw new HttpRefusal(400, `from and to are ${count} steps apart: at most ${MOST_STEPS}`);
    const { agentId } = filterOf(pageOf(query));
    const agentIds = query.by === 'agent' ? this.#agentIds(caller.accountId) : undefined;
    const asked = agentId === undefined ? agentIds : [agentId];
    const [counts, newest] = await Promise.all([
      this.store.countHours(caller.accountId, {
        ...(asked === undefined ? {} : { agentIds: asked }),
        ...{ filter: CHECKS, firstHour, endHour, hoursEach },
      }),
      this.store.pageAfter(caller.accountId, {}, null, 1),
    ]);
    return {
      from: iso(firstHour),
      to: iso(endHour),
      step: query.step,
      asOf: newest.events[0]?.leaf.occurredAt ?? null,
      ...checkSeries(counts, query.by, { firstHour, hoursEach, count }, query.top),
    };
  }

  @HttpRoute(statsRoutes.agentStats)
  async byAgent(@Input() { query, caller }: RouteInput<unknown, AgentStatsQuery>): Promise<{
    readonly agents: readonly AgentStats[];
    readonly total: number;
    readonly limit: number;
    readonly offset: number;
  }> {
    const { firstHour, endHour } = this.#hours(query, 1, 24);
    if (endHour - firstHour > MOST_HOURS)
      throw new HttpRefusal(400, `from and to are at most ${MOST_HOURS} hours apart`);
    const { sort, limit, offset } = query;
    const agentIds = this.#agentIds(caller.accountId);
    const counted = { agentIds, filter: CHECKS, firstHour, endHour, hoursEach: 1 };
    const counts = await this.store.countHours(caller.accountId, counted);
    const page = [...agentCounts(agentIds, counts, { first: firstHour, end: endHour })]
      .sort((a, b) => b[sort] - a[sort] || (a.agentId < b.agentId ? -1 : 1))
      .slice(offset, offset + limit);
    const states = await this.store.agentStates(page.map(({ agentId }) => agentId));
    const byId = new Map(states.map((state) => [state.agentId, state]));
    const agents = page.map((one): AgentStats => {
      const state = byId.get(one.agentId);
      return {
        ...one,
        lastEventAt: state === undefined ? null : new Date(state.lastEventMs).toISOString(),
        lastSequence: state?.lastSequence ?? 0,
        anchoredThrough: state?.anchoredThrough ?? 0,
      };
    });
    return { agents, total: agentIds.length, limit, offset };
  }

  #agentIds(accountId: string): readonly string[] {
    return [...this.agents.values()].filter(({ value }) => value.accountId === accountId).map(({ id }) => id);
  }

  /**
   * The hours of a range in whole steps.
   * @param most hours from the end on, where `from` is absent
   * @throws HttpRefusal 400
   */
  #hours(
    query: CheckStatsQuery | AgentStatsQuery,
    hoursEach: number,
    most: number,
  ): { readonly firstHour: number; readonly endHour: number } {
    const { fromMs, toMs = this.clock() + 1 } = filterOf(pageOf(query));
    const step = hoursEach * HOUR_MS;
    const endHour = Math.ceil(toMs / step) * hoursEach;
    const firstHour = fromMs === undefined ? endHour - most : Math.floor(fromMs / step) * hoursEach;
    if (firstHour >= endHour) throw new HttpRefusal(400, 'from must be before to');
    return { firstHour, endHour };
  }
}

/** The members of a query that filters of lists have. */
function pageOf(query: CheckStatsQuery | AgentStatsQuery): Parameters<typeof filterOf>[0] {
  const { from, to } = query;
  const agentId = 'agentId' in query ? query.agentId : undefined;
  return {
    ...{ limit: 1, offset: 0 },
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(agentId !== undefined && { agentId }),
  };
}

function iso(hour: number): string {
  return new Date(hour * HOUR_MS).toISOString();
}
