import { duplicatesOf } from '@countersign/document-store';
import { WindowDamaged } from '../domain/agent-fold.js';
import type { AgentDocument, CarriedDocument, Collections, LeavesDocument } from './mongo-collections.js';
import { binary, unpackRows } from './mongo-rows.js';
import type { AgentState } from './mongo-state.js';

/**
 * State of agents, behind the leaves: changes are kept until they are flushed, and computed again from the leaves by
 * the next leader. A stored agent moves only forward, so a flush that comes late changes nothing.
 */
export class MongoAgents {
  readonly #agents: Collections['agents'];
  readonly #carried: Collections['carried'];
  readonly #keyOf: (agentId: string) => Uint8Array;
  readonly #changed = new Map<number, AgentState>();
  readonly #added = new Set<number>();
  #newCarried: CarriedDocument[] = [];

  constructor({ agents, carried }: Collections, keyOf: (agentId: string) => Uint8Array) {
    this.#agents = agents;
    this.#carried = carried;
    this.#keyOf = keyOf;
  }

  get unflushed(): number {
    return this.#changed.size;
  }

  changed(agents: readonly AgentState[], added: readonly { n: number }[], carried: readonly CarriedDocument[]): void {
    for (const agent of agents) this.#changed.set(agent.n, agent);
    for (const { n } of added) this.#added.add(n);
    this.#newCarried.push(...carried);
  }

  forget(): void {
    this.#changed.clear();
    this.#added.clear();
    this.#newCarried = [];
  }

  /** As they are stored. */
  async find(ids: readonly string[]): Promise<AgentState[]> {
    if (ids.length === 0) return [];
    return (await this.#agents.find({ _id: { $in: [...ids] } }).toArray()).map(stateOf);
  }

  /** Applies the changes of a batch of leaves once more. @throws WindowDamaged */
  async replay(batch: LeavesDocument): Promise<void> {
    const ids = new Map(batch.agents.map(({ n, id }) => [n, id]));
    const rows = unpackRows(batch);
    const unknown = new Set(rows.map(({ agentN }) => agentN).filter((n) => !ids.has(n) && !this.#changed.has(n)));
    for (const { n, _id } of await this.#agents.find({ n: { $in: [...unknown] } }).toArray()) ids.set(n, _id);
    const agents = rows.map(({ agentN, sequence, cadence, window }): AgentState => {
      const id = ids.get(agentN) ?? this.#changed.get(agentN)?.id;
      if (id === undefined) throw new WindowDamaged(`agent number ${agentN} is not stored`);
      return { n: agentN, id, last: sequence, place: { cadenceSeconds: cadence, windowNumber: window } };
    });
    this.changed(agents, batch.agents, batch.carried);
  }

  /** `false` when nothing had changed. */
  async flush(): Promise<boolean> {
    const agents = [...this.#changed.values()];
    const carried = this.#newCarried;
    if (agents.length === 0 && carried.length === 0) return false;
    await this.#addNew(agents.filter(({ n }) => this.#added.has(n)));
    if (agents.length > 0) {
      const moves = agents.map((agent) => {
        const { n: _n, key: _key, ...place } = documentOf(agent, new Uint8Array(0));
        const { _id, ...set } = place;
        return { updateOne: { filter: { _id, last: { $lt: agent.last } }, update: { $set: set } } };
      });
      await this.#agents.bulkWrite(moves, { ordered: false });
    }
    if (carried.length > 0) {
      const adds = carried.map(({ _id, ...rest }) => ({
        updateOne: { filter: { _id }, update: { $setOnInsert: rest }, upsert: true },
      }));
      await this.#carried.bulkWrite(adds, { ordered: false }).catch(duplicatesOf);
    }
    this.forget();
    return true;
  }

  /** Keys by agent number. @throws WindowDamaged */
  async keys(numbers: readonly number[]): Promise<readonly Uint8Array[]> {
    const found = await this.#agents.find({ n: { $in: [...numbers] } }).toArray();
    const keys = new Map(found.map(({ n, key }) => [n, Uint8Array.from(key.value())]));
    return numbers.map((n) => {
      const key = keys.get(n);
      if (key === undefined) throw new WindowDamaged(`agent number ${n} is not stored`);
      return key;
    });
  }

  async #addNew(agents: readonly AgentState[]): Promise<void> {
    if (agents.length === 0) return;
    const documents = agents.map((agent) => documentOf(agent, this.#keyOf(agent.id)));
    await this.#agents.insertMany(documents, { ordered: false }).catch(duplicatesOf);
  }
}

function stateOf({ _id: id, n, last, cadence, window }: AgentDocument): AgentState {
  const place = cadence === null || window === null ? null : { cadenceSeconds: cadence, windowNumber: window };
  return { id, n, last, place };
}

function documentOf({ id, n, last, place }: AgentState, key: Uint8Array): AgentDocument {
  const cadence = place?.cadenceSeconds ?? null;
  return { _id: id, n, key: binary(key), last, cadence, window: place?.windowNumber ?? null };
}
