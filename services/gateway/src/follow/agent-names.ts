import type { Projection } from '@countersign/topics';
import type { PackedAgent } from './packed-agent.js';

type Agents = Pick<Projection<PackedAgent>, 'values' | 'onChange'>;

/** Finds agents by their names. The index is built at the first look-up, and follows changes from then on. */
export class AgentNames {
  readonly #agents: Agents;
  /** Ids by account and name; `null` until the first look-up. */
  #ids: Map<string, Set<string>> | null = null;
  readonly #keys = new Map<string, string>();

  constructor(agents: Agents) {
    this.#agents = agents;
    agents.onChange((id, agent) => {
      if (this.#ids !== null) this.#put(this.#ids, id, agent);
    });
  }

  /** The ids of the account's agents with this name; names need not be unique. */
  find(accountId: string, name: string): readonly string[] {
    if (this.#ids === null) {
      this.#ids = new Map();
      for (const { id, value } of this.#agents.values()) this.#put(this.#ids, id, value);
    }
    return [...(this.#ids.get(keyOf(accountId, name)) ?? [])];
  }

  #put(ids: Map<string, Set<string>>, id: string, agent: PackedAgent | null): void {
    const before = this.#keys.get(id);
    const key = agent === null ? undefined : keyOf(agent.accountId, agent.name);
    if (before === key) return;
    if (before !== undefined) {
      const known = ids.get(before);
      known?.delete(id);
      if (known?.size === 0) ids.delete(before);
      this.#keys.delete(id);
    }
    if (key === undefined) return;
    this.#keys.set(id, key);
    const known = ids.get(key);
    if (known === undefined) ids.set(key, new Set([id]));
    else known.add(id);
  }
}

function keyOf(accountId: string, name: string): string {
  return `${accountId}\n${name}`;
}
