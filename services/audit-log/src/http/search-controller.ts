import { Controller, Inject } from '@nestjs/common';
import { accountStream, searchRoutes } from '@countersign/contracts';
import type { SearchHit, SearchQuery } from '@countersign/contracts';
import { isUuid } from '@countersign/evidence';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { Projection } from '@countersign/topics';
import { agentsOf } from '../domain/owned-agent.js';
import type { OwnedAgent } from '../domain/owned-agent.js';
import type { EventStore } from '../store/port.js';
import { AGENTS, STORE } from '../tokens.js';

/** Hits of one kind. */
const MOST = 10;
const ROOT = /^[0-9a-f]{64}$/i;
/** Base58 of 64 bytes. */
const TRANSACTION = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

interface NamedAgent extends Pick<OwnedAgent, 'name' | 'blockchain_ssn'> {
  readonly id: string;
}

/** Looks up what a text names; decision 0149. */
@Controller()
export class SearchController {
  constructor(
    @Inject(STORE) private readonly store: EventStore,
    @Inject(AGENTS) private readonly agents: Projection<OwnedAgent>,
  ) {}

  @HttpRoute(searchRoutes.search)
  async search(@Input() { query, caller }: RouteInput<unknown, SearchQuery>): Promise<{
    readonly hits: readonly SearchHit[];
  }> {
    const { accountId } = caller;
    const text = query.q?.trim() ?? '';
    if (text.length < 2) return { hits: [] };
    const owned = agentsOf(this.agents, accountId).map(({ id, value }): NamedAgent => ({ ...value, id }));
    const lower = text.toLowerCase();
    const events = isUuid(lower) ? await this.#event(accountId, lower) : [];
    const ofRoot = ROOT.test(text) ? await this.#windows(accountId, 'merkle_root', lower, owned) : [];
    const inTransaction = TRANSACTION.test(text) ? await this.#windows(accountId, 'transaction', text, owned) : [];
    return { hits: [...events, ...agentsNamed(owned, text), ...ofRoot, ...inTransaction] };
  }

  async #event(accountId: string, eventId: string): Promise<readonly SearchHit[]> {
    const event = await this.store.find(accountId, eventId);
    if (event === null) return [];
    const { type, outcome, occurredAt } = event.leaf;
    return [{ kind: 'event', id: eventId, label: `${outcome === null ? type : `${type} ${outcome}`}, ${occurredAt}` }];
  }

  /** The first event of each agent in a window; the account's own stream is among the agents. */
  async #windows(
    accountId: string,
    kind: 'merkle_root' | 'transaction',
    text: string,
    owned: readonly NamedAgent[],
  ): Promise<readonly SearchHit[]> {
    const names = new Map(owned.map(({ id, name }) => [id, name]));
    const agentIds = [...names.keys(), accountStream(accountId)];
    const by = kind === 'merkle_root' ? { merkleRoot: text } : { txSignature: text };
    const windows = await this.store.windowsNamed(by, agentIds, MOST);
    return Promise.all(
      windows.map(async ({ agentId, firstSequence: first, lastSequence: last, anchoredAt }): Promise<SearchHit> => {
        const [id = ''] = await this.store.eventIds(agentId, first, first);
        const events = first === last ? `event ${first}` : `events ${first} to ${last}`;
        return { kind, id, label: `${names.get(agentId) ?? 'Account'}: ${events}, anchored ${anchoredAt}` };
      }),
    );
  }
}

/** Agents with this id or SSN, or with a name that begins so, the shortest name first. */
function agentsNamed(owned: readonly NamedAgent[], text: string): readonly SearchHit[] {
  const wanted = text.toLowerCase();
  return owned
    .filter(({ id, name, blockchain_ssn: ssn }) =>
      [id === wanted, ssn?.toLowerCase() === wanted, name.toLowerCase().startsWith(wanted)].includes(true),
    )
    .sort((a, b) => a.name.length - b.name.length || (a.id < b.id ? -1 : 1))
    .slice(0, MOST)
    .map(({ id, name }) => ({ kind: 'agent', id, label: name }));
}
