import { Controller, Inject } from '@nestjs/common';
import { agentHistoryRoutes } from '@countersign/contracts';
import type {
  AnchoredWindowRecord,
  BehaviorProfile,
  PageQuery,
  ProfileVersion,
  WindowsQuery,
} from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { Projection } from '@countersign/topics';
import { EARLIEST, LATEST } from '../domain/count-times.js';
import type { OwnedAgent } from '../domain/owned-agent.js';
import { committedProfile, profileVersion } from '../domain/profile-version.js';
import { filterOf } from '../list-events/filter-of.js';
import { changeTo, profileChanges } from '../list-events/profile-changes.js';
import type { AgentAnchor, EventStore } from '../store/port.js';
import { AGENTS, STORE } from '../tokens.js';

/** Versions of an agent's profile, and the windows in which its events are anchored. */
@Controller()
export class AgentHistoryController {
  constructor(
    @Inject(STORE) private readonly store: EventStore,
    @Inject(AGENTS) private readonly agents: Projection<OwnedAgent>,
  ) {}

  @HttpRoute(agentHistoryRoutes.listProfileVersions)
  async versions(@Input() input: RouteInput<unknown, PageQuery>): Promise<object> {
    const { limit, offset } = input.query;
    // One more: what changed is found against the version before.
    const { events, total } = await profileChanges(this.store, input.caller.accountId, this.#agent(input), {
      limit: limit + 1,
      offset,
    });
    const versions = events.slice(0, limit).map((event, n) => profileVersion(event, events[n + 1] ?? null));
    return { versions, total, limit, offset };
  }

  @HttpRoute(agentHistoryRoutes.getProfileVersion)
  async version(@Input() input: RouteInput): Promise<ProfileVersion & { readonly profile: BehaviorProfile | null }> {
    const version = Number(input.params['version']);
    const found = await changeTo(this.store, input.caller.accountId, this.#agent(input), version);
    if (found === null) throw new HttpRefusal(404, 'no event names this version of the profile');
    const { event, before } = found;
    return { ...profileVersion(event, before), profile: committedProfile(event) };
  }

  @HttpRoute(agentHistoryRoutes.listAgentWindows)
  async windows(@Input() input: RouteInput<unknown, WindowsQuery>): Promise<{
    readonly windows: readonly AnchoredWindowRecord[];
    readonly limit: number;
    readonly next: number | null;
  }> {
    const agentId = this.#agent(input);
    const { limit, before = Number.MAX_SAFE_INTEGER, from, to } = input.query;
    const { fromMs = EARLIEST, toMs = LATEST } = filterOf({
      limit,
      offset: 0,
      ...(from && { from }),
      ...(to && { to }),
    });
    const all = { first: 1, last: Number.MAX_SAFE_INTEGER };
    const timed = from !== undefined || to !== undefined;
    const span = timed ? await this.store.span(agentId, fromMs, toMs) : all;
    if (span === null) return { windows: [], limit, next: null };
    const last = Math.min(span.last, before - 1);
    const windows = last < span.first ? [] : await this.store.windowsOf(agentId, span.first, last, limit + 1);
    const shown = windows.slice(0, limit);
    return {
      windows: shown.map(windowRecord),
      limit,
      next: windows.length > limit ? shown.at(-1)!.firstSequence : null,
    };
  }

  /** @throws HttpRefusal 404 also for an agent of another account */
  #agent({ params, caller }: RouteInput<unknown, unknown>): string {
    const agentId = params['id']!.toLowerCase();
    if (this.agents.get(agentId)?.value.accountId !== caller.accountId) throw new HttpRefusal(404, 'no such agent');
    return agentId;
  }
}

function windowRecord(anchor: AgentAnchor): AnchoredWindowRecord {
  const { firstSequence, lastSequence } = anchor;
  return {
    merkle_root: anchor.merkleRoot,
    chain_tx_signature: anchor.txSignature,
    chain_block_height: anchor.blockHeight,
    anchored_at: anchor.anchoredAt,
    window_start: anchor.windowStart,
    window_end: anchor.windowEnd,
    event_count: lastSequence - firstSequence + 1,
    firstSequence,
    lastSequence,
  };
}
