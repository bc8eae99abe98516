import { effectiveCadence, type AgentPlace } from '../domain/effective-cadence.js';
import type { CarriedDocument, RootDocument, StoredCadence } from './mongo-collections.js';
import type { LeafRow } from './mongo-rows.js';
import type { ArrivingLeaf, Cut } from './port.js';

export interface AgentState {
  readonly n: number;
  readonly id: string;
  readonly last: number;
  readonly place: AgentPlace | null;
}

/** Result of a batch: rows to keep, and changes. */
export interface Taken {
  readonly rows: readonly LeafRow[];
  readonly agents: readonly AgentState[];
  readonly added: readonly { readonly n: number; readonly id: string }[];
  readonly carried: readonly CarriedDocument[];
}

const FIRST_WINDOW: StoredCadence = { number: 1, openedAtMs: null, lastEndMs: null, from: {} };

/** State of the leader: positions of partitions, open windows, last leaves of agents. */
export class LeaderState {
  readonly positions = new Map<number, number>();
  readonly floors = new Map<number, number>();
  readonly flushed = new Map<number, number>();
  readonly cadences = new Map<number, StoredCadence>();
  /** Those that were looked up or have changed; all that changed are here until they are flushed. */
  readonly agents = new Map<string, AgentState>();
  pending: RootDocument['pending'];
  nextAgent: number;
  nextWindow: number;
  readonly terms: RootDocument['terms'];

  constructor(root: RootDocument) {
    const numbers = (stored: Readonly<Record<string, number>>): [number, number][] =>
      Object.entries(stored).map(([key, value]) => [Number(key), value]);
    for (const [p, next] of numbers(root.positions['agent-events'] ?? {})) this.positions.set(p, next);
    for (const [p, floor] of numbers(root.floors)) this.floors.set(p, floor);
    for (const [p, flushed] of numbers(root.flushed)) this.flushed.set(p, flushed);
    for (const [cadence, stored] of Object.entries(root.cadences)) this.cadences.set(Number(cadence), stored);
    this.pending = root.pending;
    this.nextAgent = root.nextAgent;
    this.nextWindow = root.nextWindow;
    this.terms = root.terms;
  }

  /** Number of the window into which a leaf of this cadence at this place goes. */
  windowAt(cadence: number, partition: number, offset: number): number {
    const { number, from } = this.cadences.get(cadence) ?? FIRST_WINDOW;
    return offset < (from[partition] ?? 0) ? number - 1 : number;
  }

  /** Numbers leaves and puts them into windows. Every agent that was seen before MUST be in `agents`. */
  take(partition: number, leaves: readonly ArrivingLeaf[]): Taken {
    const rows: LeafRow[] = [];
    const moved = new Map<string, AgentState>();
    const added: { n: number; id: string }[] = [];
    const carried = new Map<string, CarriedDocument>();
    for (const { agentId, cadenceSeconds: stamp, offset, hash, cameAtMs } of leaves) {
      const agent = this.agents.get(agentId) ?? this.#add(agentId, added);
      const cadence = effectiveCadence(agent.place, stamp, (one) => this.windowAt(one, partition, offset));
      const window = this.windowAt(cadence, partition, offset);
      const sequence = agent.last + 1;
      const now = { ...agent, last: sequence, place: { cadenceSeconds: cadence, windowNumber: window } };
      this.agents.set(agentId, now);
      moved.set(agentId, now);
      this.#open(cadence, window, cameAtMs);
      rows.push({ offset, agentN: agent.n, sequence, cadence, window, hash });
      if (cadence === stamp) continue;
      const _id = `${stamp}:${agent.n}:${cadence}:${window}`;
      if (!carried.has(_id)) carried.set(_id, { _id, stamp, agentId, cadence, window, p: partition, first: offset });
    }
    return { rows, agents: [...moved.values()], added, carried: [...carried.values()] };
  }

  /** The cadences and windows of a cut. */
  cut(cuts: readonly Cut[], offsets: Readonly<Record<string, number>>): Pick<RootDocument, 'cadences' | 'pending'> {
    const cadences = new Map(this.cadences);
    const windows = cuts.map((cut, i) => {
      const { number, from } = this.cadences.get(cut.cadenceSeconds) ?? FIRST_WINDOW;
      cadences.set(cut.cadenceSeconds, { number: number + 1, openedAtMs: null, lastEndMs: cut.endMs, from: offsets });
      return { ...cut, windowId: `${cut.cadenceSeconds}-${number}`, number, n: this.nextWindow + i, from };
    });
    return { cadences: Object.fromEntries(cadences), pending: { offsets, windows } };
  }

  #add(id: string, added: { n: number; id: string }[]): AgentState {
    const agent = { n: this.nextAgent, id, last: 0, place: null };
    this.nextAgent += 1;
    added.push({ n: agent.n, id });
    return agent;
  }

  #open(cadence: number, window: number, cameAtMs: number): void {
    const known = this.cadences.get(cadence) ?? FIRST_WINDOW;
    const earlier = known.openedAtMs === null || cameAtMs < known.openedAtMs;
    const openedAtMs = window === known.number && earlier ? cameAtMs : known.openedAtMs;
    this.cadences.set(cadence, { ...known, openedAtMs });
  }
}
