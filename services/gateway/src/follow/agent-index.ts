import type { Projection } from '@countersign/topics';
import type { PackedAgent } from './packed-agent.js';

type Agents = Pick<Projection<PackedAgent>, 'values' | 'onChange'>;

/** Finds agents by texts in their records. The index is built at the first look-up, and follows changes from then on. */
export class AgentIndex {
  readonly #agents: Agents;
  readonly #textsOf: (agent: PackedAgent) => readonly string[];
  /** Ids by account and text; `null` until the first look-up. */
  #ids: Map<string, Set<string>> | null = null;
  /** Keys of each agent; those without any are left out. */
  readonly #keys = new Map<string, readonly string[]>();

  constructor(agents: Agents, textsOf: (agent: PackedAgent) => readonly string[]) {
    this.#agents = agents;
    this.#textsOf = textsOf;
    agents.onChange((id, agent) => {
      if (this.#ids !== null) this.#put(this.#ids, id, agent);
    });
  }

  /** The ids of the account's agents with this text. */
  find(accountId: string, text: string): readonly string[] {
    if (this.#ids === null) {
      this.#ids = new Map();
      for (const { id, value } of this.#agents.values()) this.#put(this.#ids, id, value);
    }
    return [...(this.#ids.get(keyOf(accountId, text)) ?? [])];
  }

  #put(ids: Map<string, Set<string>>, id: string, agent: PackedAgent | null): void {
    const before = this.#keys.get(id) ?? [];
    const keys = agent === null ? [] : this.#textsOf(agent).map((text) => keyOf(agent.accountId, text));
    if (before.length === keys.length && before.every((key, n) => key === keys[n])) return;
    for (const key of before) {
      const known = ids.get(key);
      known?.delete(id);
      if (known?.size === 0) ids.delete(key);
    }
    if (keys.length === 0) this.#keys.delete(id);
    else this.#keys.set(id, keys);
    for (const key of keys) {
      const known = ids.get(key);
      if (known === undefined) ids.set(key, new Set([id]));
      else known.add(id);
    }
  }
}

/** By name; names need not be unique. */
export function agentNames(agents: Agents): AgentIndex {
  return new AgentIndex(agents, ({ name }) => [name]);
}

/** By OAuth client id. */
export function agentClients(agents: Agents): AgentIndex {
  return new AgentIndex(agents, ({ oauthClientIds }) => oauthClientIds ?? []);
}

function keyOf(accountId: string, text: string): string {
  return `${accountId}\n${text}`;
}
