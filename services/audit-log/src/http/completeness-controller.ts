import { Controller, Inject } from '@nestjs/common';
import { completenessRoutes } from '@countersign/contracts';
import type { AgentCompleteness, CompletenessQuery } from '@countersign/contracts';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { Projection } from '@countersign/topics';
import { breaksBetween } from '../domain/breaks.js';
import { agentIdsOf } from '../domain/owned-agent.js';
import type { OwnedAgent } from '../domain/owned-agent.js';
import type { EventStore } from '../store/port.js';
import { AGENTS, STORE } from '../tokens.js';

/** Sequences of an agent that are counted: the last. */
const COUNTED = 100_000;
const MOST_BREAKS = 10;

@Controller()
export class CompletenessController {
  constructor(
    @Inject(STORE) private readonly store: EventStore,
    @Inject(AGENTS) private readonly agents: Projection<OwnedAgent>,
  ) {}

  @HttpRoute(completenessRoutes.completeness)
  async completeness(@Input() { query, caller }: RouteInput<unknown, CompletenessQuery>): Promise<{
    readonly agents: readonly AgentCompleteness[];
    readonly total: number;
    readonly limit: number;
    readonly offset: number;
  }> {
    const { limit, offset } = query;
    const asked = query.agentId?.toLowerCase();
    const owned = agentIdsOf(this.agents, caller.accountId)
      .filter((id) => (asked ?? id) === id)
      .sort();
    const page = owned.slice(offset, offset + limit);
    const states = new Map((await this.store.agentStates(page)).map((state) => [state.agentId, state]));
    const agents: AgentCompleteness[] = [];
    for (const agentId of page) {
      const { lastSequence: last = 0, anchoredThrough = 0 } = states.get(agentId) ?? {};
      const first = Math.min(Math.max(1, last - COUNTED + 1), last);
      const { stored, windows } = await this.store.continuity(agentId, first, last);
      const breaks = last === 0 ? [] : breaksBetween(windows, first, anchoredThrough).slice(0, MOST_BREAKS);
      agents.push({ agentId, first, last, stored, windows: windows.length, anchoredThrough, breaks });
    }
    return { agents, total: owned.length, limit, offset };
  }
}
