import { messageOf } from '@countersign/async';
import { agentKey, type Sha256 } from '@countersign/evidence';
import { MongoAgents } from './mongo-agents.js';
import type { Collections, LeavesDocument, RootDocument } from './mongo-collections.js';
import type { MongoJournal } from './mongo-journal.js';
import type { MongoRoot } from './mongo-root.js';
import { binary, idBytes, idTimeMs, packRows } from './mongo-rows.js';
import { LeaderState, type Taken } from './mongo-state.js';
import { LeadEnded, type ArrivingLeaf, type Position } from './port.js';

/** Ids are forgotten after 72 h of a partition's log time: no writer appends an event later than 48 h after its time. */
const REMEMBERED_MS = 72 * 3_600_000;
const KEPT_AGENTS = 50_000;
const UNFLUSHED_AGENTS = 5_000;

interface Waiting {
  readonly leaves: readonly ArrivingLeaf[];
  readonly position: Position;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Takes leaves: all that waits goes in one group. Its batches are written first and count when the root's positions move,
 * which is one conditional update; agents follow later, from the batches again where a leader ended in between.
 */
export class MongoLeaves {
  readonly agents: MongoAgents;
  readonly #root: MongoRoot;
  readonly #journal: MongoJournal;
  #state: LeaderState | null = null;
  #waiting: Waiting[] = [];
  #turn: Promise<void> = Promise.resolve();

  constructor(root: MongoRoot, journal: MongoJournal, collections: Collections, sha256: Sha256) {
    this.#root = root;
    this.#journal = journal;
    this.agents = new MongoAgents(collections, (id) => Buffer.from(agentKey(id, sha256), 'hex'));
  }

  /** @throws LeadEnded */
  get state(): LeaderState {
    if (this.#state === null || !this.#root.leads) throw new LeadEnded('this instance does not lead');
    return this.#state;
  }

  /** Takes up what the leader before left. */
  async load(root: RootDocument): Promise<void> {
    await this.#turn;
    this.#state = new LeaderState(root);
    this.agents.forget();
    for (const [partition, position] of this.state.positions) {
      const flushed = this.state.flushed.get(partition) ?? 0;
      for await (const batch of this.#journal.batches(partition, flushed, position)) await this.agents.replay(batch);
    }
    await this.flush();
  }

  take(leaves: readonly ArrivingLeaf[], position: Position): Promise<void> {
    const taken = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ leaves, position, resolve, reject });
    });
    if (this.#waiting.length === 1) void this.alone(() => this.#takeWaiting());
    return taken;
  }

  /** Runs `work` while nothing else changes the state. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  /** Brings the stored agents up to the leaves; to be called alone. */
  async flush(): Promise<void> {
    const { state } = this;
    if (!(await this.agents.flush())) return;
    await this.#root.change({ flushed: Object.fromEntries(state.positions) });
    for (const [partition, next] of state.positions) state.flushed.set(partition, next);
  }

  async #takeWaiting(): Promise<void> {
    const group = this.#waiting;
    this.#waiting = [];
    try {
      await this.#takeGroup(group);
      if (this.agents.unflushed > UNFLUSHED_AGENTS || this.state.agents.size > KEPT_AGENTS) {
        await this.flush();
        this.state.agents.clear();
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
      return;
    }
    for (const { resolve } of group) resolve();
  }

  async #takeGroup(group: readonly Waiting[]): Promise<void> {
    const { state } = this;
    const { term } = this.#root;
    const known = await this.#journal.known(
      group.flatMap(({ leaves, position }) => above(state, leaves, position).map(({ eventId }) => idBytes(eventId))),
    );
    const seen = new Set<string>();
    const ids = new Set(group.flatMap(({ leaves }) => leaves.map(({ agentId }) => agentId)));
    for (const agent of await this.agents.find([...ids].filter((id) => !state.agents.has(id)))) {
      state.agents.set(agent.id, agent);
    }
    const isNew = (leaf: ArrivingLeaf, floor: number): boolean => {
      const id = idBytes(leaf.eventId);
      const hex = id.toString('hex');
      if (seen.has(hex) || (idTimeMs(id) >= floor && known.has(hex))) return false;
      seen.add(hex);
      return true;
    };
    // From here on the state is ahead of what is stored: a failure ends the lead, and the next one loads it again.
    try {
      const documents: LeavesDocument[] = [];
      const batches: Taken[] = [];
      const moved: Record<string, number> = {};
      for (const { leaves, position } of group) {
        const { partition, next } = position;
        const from = state.positions.get(partition) ?? 0;
        if (next <= from) continue;
        const floor = state.floors.get(partition) ?? 0;
        const fresh = above(state, leaves, position).filter((leaf) => isNew(leaf, floor));
        const batch = state.take(partition, fresh);
        batches.push(batch);
        documents.push(documentOf({ p: partition, from, next, term }, fresh, batch));
        state.positions.set(partition, next);
        state.floors.set(partition, Math.max(floor, (leaves.at(-1)?.cameAtMs ?? 0) - REMEMBERED_MS));
        moved[`positions.agent-events.${partition}`] = next;
        moved[`floors.${partition}`] = state.floors.get(partition)!;
      }
      if (documents.length === 0) return;
      await this.#journal.add(documents);
      await this.#root.change({ cadences: Object.fromEntries(state.cadences), nextAgent: state.nextAgent }, moved);
      for (const { agents, added, carried } of batches) this.agents.changed(agents, added, carried);
    } catch (error) {
      this.#root.end(messageOf(error));
      throw error;
    }
  }
}

/** Those that were not taken before. */
function above(state: LeaderState, leaves: readonly ArrivingLeaf[], { partition }: Position): readonly ArrivingLeaf[] {
  const from = state.positions.get(partition) ?? 0;
  return leaves.filter(({ offset }) => offset >= from);
}

function documentOf(
  place: Pick<LeavesDocument, 'p' | 'from' | 'next' | 'term'>,
  leaves: readonly ArrivingLeaf[],
  { rows, added, carried }: Taken,
): LeavesDocument {
  const ids = leaves.map(({ eventId }) => idBytes(eventId));
  return {
    _id: `${place.p}:${place.from}:${place.term}`,
    ...place,
    ids: ids.map((id) => binary(id)),
    newestMs: ids.reduce((newest, id) => Math.max(newest, idTimeMs(id)), 0),
    ...packRows(place.p, rows),
    agents: added,
    carried,
    swept: false,
  };
}
