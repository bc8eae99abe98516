import { Controller, Inject } from '@nestjs/common';
import { anchoringStateRoutes } from '@countersign/contracts';
import type { AccountFacts, AnchoringState } from '@countersign/contracts';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { Projection } from '@countersign/topics';
import { agentIdsOf } from '../domain/owned-agent.js';
import type { OwnedAgent } from '../domain/owned-agent.js';
import { anchoringState } from '../list-events/anchoring-state.js';
import type { EventStore } from '../store/port.js';
import { ACCOUNTS, AGENTS, STORE } from '../tokens.js';

@Controller()
export class AnchoringStateController {
  constructor(
    @Inject(STORE) private readonly store: EventStore,
    @Inject(AGENTS) private readonly agents: Projection<OwnedAgent>,
    @Inject(ACCOUNTS) private readonly accounts: Projection<AccountFacts>,
  ) {}

  @HttpRoute(anchoringStateRoutes.anchoringState)
  state(@Input() { caller: { accountId } }: RouteInput): Promise<AnchoringState> {
    const agentIds = agentIdsOf(this.agents, accountId);
    return anchoringState(this.store, agentIds, this.accounts.get(accountId)?.value.cadenceSeconds ?? null);
  }
}
