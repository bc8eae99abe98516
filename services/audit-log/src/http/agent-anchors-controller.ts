import { Controller, Inject } from '@nestjs/common';
import { auditLogRoutes, type AnchorRecord, type PageQuery } from '@countersign/contracts';
import { HttpAnswer, HttpRefusal } from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { Projection } from '@countersign/topics';
import type { OwnedAgent } from '../domain/owned-agent.js';
import type { AgentAnchor, EventStore } from '../store/port.js';
import { AGENTS, STORE } from '../tokens.js';

/** Ids read and written at a time: a window may hold very many. */
const IDS = 5_000;

@Controller()
export class AgentAnchorsController {
  constructor(
    @Inject(STORE) private readonly store: EventStore,
    @Inject(AGENTS) private readonly agents: Projection<OwnedAgent>,
  ) {}

  @HttpRoute(auditLogRoutes.listAgentAnchors)
  async list(@Input() { params, query, caller }: RouteInput<unknown, PageQuery>): Promise<HttpAnswer> {
    const agentId = params['id']!.toLowerCase();
    if (this.agents.get(agentId)?.value.accountId !== caller.accountId) throw new HttpRefusal(404, 'no such agent');
    const { limit, offset } = query;
    const { anchors, total } = await this.store.anchors(agentId, { limit, offset });
    const tail = `],"total":${total},"limit":${limit},"offset":${offset}}`;
    return HttpAnswer.stream(200, 'application/json; charset=utf-8', this.#text(agentId, anchors, tail));
  }

  async *#text(agentId: string, anchors: readonly AgentAnchor[], tail: string): AsyncGenerator<string> {
    let lead = '{"anchors":[';
    for (const anchor of anchors) {
      yield `${lead}{"event_ids":[`;
      for (let first = anchor.firstSequence; first <= anchor.lastSequence; first += IDS) {
        const last = Math.min(first + IDS - 1, anchor.lastSequence);
        const ids = await this.store.eventIds(agentId, first, last);
        yield (first === anchor.firstSequence ? '' : ',') + ids.map((id) => `"${id}"`).join(',');
      }
      yield `],${JSON.stringify(facts(anchor)).slice(1)}`;
      lead = ',';
    }
    yield (anchors.length === 0 ? lead : '') + tail;
  }
}

function facts(anchor: AgentAnchor): Omit<AnchorRecord, 'event_ids'> {
  return {
    merkle_root: anchor.merkleRoot,
    chain_tx_signature: anchor.txSignature,
    chain_block_height: anchor.blockHeight,
    anchored_at: anchor.anchoredAt,
    window_start: anchor.windowStart,
    window_end: anchor.windowEnd,
    event_count: anchor.lastSequence - anchor.firstSequence + 1,
  };
}
