import { Controller, Inject } from '@nestjs/common';
import { statsRoutes } from '@countersign/contracts';
import type { AgentStats, AgentStatsQuery, CheckStats, CheckStatsQuery } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { Projection } from '@countersign/topics';
import { agentCounts, checkSeries } from '../domain/check-series.js';
import { HOUR_MS } from '../domain/count-times.js';
import { agentIdsOf } from '../domain/owned-agent.js';
import type { OwnedAgent } from '../domain/owned-agent.js';
import { filterOf } from '../list-events/filter-of.js';
import type { EventStore, StepCount, StepQuery } from '../store/port.js';
import { AGENTS, CLOCK, STORE } from '../tokens.js';

const MOST_STEPS = 1_500;
/** Events that are counted one by one. */
const MOST_COUNTED = 100_000;
const MOST_HOURS = 168;
const CHECKS = { type: 'action.checked' };

/** Numbers of checks, from the counts by hour; in shorter steps and by rule from the events themselves. */
@Controller()
export class StatsController {
  constructor(
    @Inject(STORE) private readonly store: EventStore,
    @Inject(AGENTS) private readonly agents: Projection<OwnedAgent>,
    @Inject(CLOCK) private readonly clock: () => number,
  ) {}

  @HttpRoute(statsRoutes.checkStats)
  async checks(@Input() { query, caller }: RouteInput<unknown, CheckStatsQuery>): Promise<CheckStats> {
    const { accountId } = caller;
    const { by, step, top } = query;
    const stepMs = step * 1000;
    const { fromMs, toMs } = this.#steps(query, stepMs, 24);
    const count = (toMs - fromMs) / stepMs;
    if (count > MOST_STEPS) throw new HttpRefusal(400, `from and to are ${count} steps apart: at most ${MOST_STEPS}`);
    const { agentId } = filterOf(pageOf(query));
    const all = by === 'agent' ? agentIdsOf(this.agents, accountId) : undefined;
    const agentIds = agentId === undefined ? all : [agentId];
    const asked = { ...(agentIds === undefined ? {} : { agentIds }), filter: CHECKS, fromMs, toMs, stepMs };
    const [counts, newest] = await Promise.all([
      this.#count(accountId, { ...asked, byRule: by === 'rule' }),
      this.store.pageAfter(accountId, {}, null, 1),
    ]);
    return {
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
      step,
      asOf: newest.events[0]?.leaf.occurredAt ?? null,
      ...checkSeries(counts, by, { fromMs, stepMs, count }, top),
    };
  }

  /**
   * From the counts by hour where they suffice.
   * @throws HttpRefusal 400 where more than {@link MOST_COUNTED} events would be read one by one
   */
  async #count(accountId: string, query: StepQuery): Promise<readonly StepCount[]> {
    const { fromMs, toMs, stepMs, byRule, ...asked } = query;
    const [firstHour, endHour] = [Math.floor(fromMs / HOUR_MS), Math.ceil(toMs / HOUR_MS)];
    const range = { firstHour, endHour, hoursEach: endHour - firstHour };
    if (stepMs >= HOUR_MS && !byRule) {
      const hours = await this.store.countHours(accountId, { ...asked, ...range, hoursEach: stepMs / HOUR_MS });
      return hours.map(({ hour, ...one }) => ({ ...one, at: hour * HOUR_MS, rule: null }));
    }
    // Violations are read by account, whatever the agent; events by account or agent, whatever their type.
    const agents = asked.agentIds === undefined ? {} : { agentIds: asked.agentIds };
    const read = byRule ? { filter: CHECKS } : { ...agents, filter: {} };
    const hours = await this.store.countHours(accountId, { ...read, ...range });
    const counted = hours.filter((one) => !byRule || one.class.violationType !== null);
    const total = counted.reduce((sum, one) => sum + one.count, 0);
    if (total <= MOST_COUNTED) return this.store.countSteps(accountId, query);
    const [what, of] = byRule ? ['by=rule reads', 'violations of the account'] : ['steps below 3600 read', 'events'];
    const most = `${what} at most ${MOST_COUNTED} ${of}`;
    throw new HttpRefusal(400, `${most}, and the hours of the range have ${total}: choose a shorter range`);
  }

  @HttpRoute(statsRoutes.agentStats)
  async byAgent(@Input() { query, caller }: RouteInput<unknown, AgentStatsQuery>): Promise<{
    readonly agents: readonly AgentStats[];
    readonly total: number;
    readonly limit: number;
    readonly offset: number;
  }> {
    const { fromMs, toMs } = this.#steps(query, HOUR_MS, 24);
    const [firstHour, endHour] = [fromMs / HOUR_MS, toMs / HOUR_MS];
    if (endHour - firstHour > MOST_HOURS)
      throw new HttpRefusal(400, `from and to are at most ${MOST_HOURS} hours apart`);
    const { sort, limit, offset } = query;
    const agentIds = agentIdsOf(this.agents, caller.accountId);
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

  /**
   * A range in whole steps.
   * @param most steps from the end on, where `from` is absent
   * @throws HttpRefusal 400
   */
  #steps(
    query: CheckStatsQuery | AgentStatsQuery,
    stepMs: number,
    most: number,
  ): { readonly fromMs: number; readonly toMs: number } {
    const { fromMs: first, toMs: end = this.clock() + 1 } = filterOf(pageOf(query));
    const toMs = Math.ceil(end / stepMs) * stepMs;
    const fromMs = first === undefined ? toMs - most * stepMs : Math.floor(first / stepMs) * stepMs;
    if (fromMs >= toMs) throw new HttpRefusal(400, 'from must be before to');
    return { fromMs, toMs };
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
