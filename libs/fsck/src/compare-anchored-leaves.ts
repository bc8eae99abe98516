import type { AnchorInspection, InspectedArrival } from '@countersign/anchoring';
import type { Offsets } from '@countersign/event-log';
import { LAYOUT } from './layout.js';
import type { NumberedLeaf } from './number-leaves.js';
import { OrderedRows } from './ordered-rows.js';
import { offsetOf, partitionOf, placeIn, Reached } from './places.js';
import type { Check } from './report.js';
import { scratch } from './scratch.js';

interface AgentState {
  /** Its number in the store; `null`: anchoring does not know it. */
  readonly n: number | null;
  readonly lastSequence: number;
  /** Leaves below anchoring's position. */
  taken: number;
}

/** A leaf of the log. */
interface LoggedLeaf {
  readonly agentN: number;
  readonly sequence: number;
  readonly offset: number;
  /** 1 when it was among the arrivals. */
  readonly arrived: number;
  readonly hash: Buffer;
}

/** Offsets between which a window was cut. */
interface WindowCut {
  readonly windowId: string;
  readonly begins: Offsets;
  readonly ends: Offsets;
}

const HASH_BYTES = 32;

/**
 * Compares what anchoring holds of leaves with the log: hash, sequence and window of each must be the log's. Arrivals are
 * merged with the log in its order, segments afterwards in the order of agents and sequences.
 */
export class AnchoredLeafComparison {
  readonly #anchors: AnchorInspection;
  readonly #check: Check;
  readonly #position: Reached;
  readonly #agents: Map<string, AgentState>;
  readonly #arrivals: OrderedRows<InspectedArrival>;
  /** Leaves by agent and sequence, and the cuts of windows. */
  readonly #scratch = scratch();
  readonly #addLeaf;
  readonly #findCut;
  /** The one looked up last. */
  #cut: WindowCut | null = null;

  private constructor(
    anchors: AnchorInspection,
    position: Reached,
    agents: Map<string, AgentState>,
    arrivals: OrderedRows<InspectedArrival>,
    check: Check,
  ) {
    this.#anchors = anchors;
    this.#position = position;
    this.#agents = agents;
    this.#arrivals = arrivals;
    this.#check = check;
    this.#scratch.exec(
      `CREATE TABLE leaves (agent_n INTEGER NOT NULL, sequence INTEGER NOT NULL, place INTEGER NOT NULL,
         arrived INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (agent_n, sequence, place)) WITHOUT ROWID;
       CREATE TABLE cuts (window_id TEXT PRIMARY KEY, begins TEXT NOT NULL, ends TEXT NOT NULL) WITHOUT ROWID; BEGIN`,
    );
    this.#addLeaf = this.#scratch.prepare<[number, number, number, number, Uint8Array]>(
      'INSERT OR IGNORE INTO leaves VALUES (?, ?, ?, ?, ?)',
    );
    this.#findCut = this.#scratch.prepare<[string], { begins: string; ends: string }>(
      'SELECT begins, ends FROM cuts WHERE window_id = ?',
    );
  }

  static async of(anchors: AnchorInspection, check: Check): Promise<AnchoredLeafComparison> {
    const position = new Reached(await anchors.positions('agent-events'));
    const agents = new Map<string, AgentState>();
    for await (const { agentId, n, lastSequence } of anchors.agents())
      agents.set(agentId, { n, lastSequence, taken: 0 });
    const arrivals = await OrderedRows.of(anchors.arrivals());
    return new AnchoredLeafComparison(anchors, position, agents, arrivals, check);
  }

  async take(leaf: NumberedLeaf): Promise<void> {
    const { offset, sequence } = leaf;
    const agent = this.#agent(leaf.envelope.leaf.agentId);
    const arrived = await this.#arrivedAt(leaf, agent);
    if (this.#position.has(offset)) agent.taken = sequence;
    if (agent.n !== null) this.#addLeaf.run(agent.n, sequence, offset, Number(arrived), leaf.hash);
    else this.#count(arrived, leaf.envelope.leaf.agentId, { sequence, offset });
  }

  /** @param complete the log was read to its end */
  async finish(complete: boolean): Promise<void> {
    try {
      if (complete) {
        for (let row = this.#arrivals.row; row !== null; row = await this.#arrivals.advance()) this.#surplus(row);
      }
      await this.#compareSegments();
      if (complete) this.#compareLast();
    } finally {
      await this.#arrivals.close();
      this.#scratch.close();
    }
  }

  #agent(id: string): AgentState {
    let agent = this.#agents.get(id);
    if (agent === undefined) {
      agent = { n: null, lastSequence: 0, taken: 0 };
      this.#agents.set(id, agent);
    }
    return agent;
  }

  /** `true` when the leaf lies in an open window, or in one that was closed a short time ago. */
  async #arrivedAt(leaf: NumberedLeaf, agent: AgentState): Promise<boolean> {
    let { row } = this.#arrivals;
    while (row !== null && placeOf(row) < leaf.offset) {
      this.#surplus(row);
      row = await this.#arrivals.advance();
    }
    if (row === null || placeOf(row) !== leaf.offset) return false;
    const { agentId } = leaf.envelope.leaf;
    if (row.agentN !== agent.n || row.sequence !== leaf.sequence) {
      this.#wrong(agentId, leaf, `its arrival names agent number ${row.agentN}, sequence ${row.sequence}`);
    }
    if (!sameBytes(row.hash, leaf.hash))
      this.#wrong(agentId, leaf, 'the hash of its arrival is not the one of the log');
    if (!row.isIntact) this.#wrong(agentId, leaf, 'the checksum of its arrival does not fit');
    await this.#arrivals.advance();
    return true;
  }

  #surplus(row: InspectedArrival): void {
    this.#check.wrong(
      `${LAYOUT.anchors} arrivals cadence ${row.cadence}, offset ${placeOf(row)}`,
      'the log has no leaf there',
    );
  }

  async #compareSegments(): Promise<void> {
    await this.#readCuts();
    const agentIds = new Map([...this.#agents].map(([id, { n }]) => [n, id]));
    const leaves = this.#scratch.prepare<[], LoggedLeaf>(
      `SELECT agent_n AS agentN, sequence, place AS offset, arrived, hash FROM leaves ORDER BY agent_n, sequence, place`,
    );
    const segments = await OrderedRows.of(this.#anchors.segments());
    const runs = await OrderedRows.of(this.#anchors.runs());
    try {
      for (const leaf of leaves.iterate()) {
        const agentId = agentIds.get(leaf.agentN)!;
        const segment = await segments.skipTo(
          (one) =>
            one.agentN > leaf.agentN ||
            (one.agentN === leaf.agentN && leaf.sequence < one.firstSequence + one.hashes.length / HASH_BYTES),
        );
        const at = segment?.agentN === leaf.agentN ? (leaf.sequence - segment.firstSequence) * HASH_BYTES : -1;
        if (segment === null || at < 0) {
          this.#count(leaf.arrived === 1, agentId, leaf);
          continue;
        }
        this.#check.examined += 1;
        if (!sameBytes(segment.hashes.subarray(at, at + HASH_BYTES), leaf.hash)) {
          const problem = `its hash in the segment from ${segment.firstSequence} is not the one of the log`;
          this.#wrong(agentId, leaf, problem);
        }
        if (leaf.offset < 0) continue;
        const run = await runs.skipTo(
          (one) => one.agentN > leaf.agentN || (one.agentN === leaf.agentN && leaf.sequence <= one.lastSequence),
        );
        // A segment without a window: its window was being closed.
        if (run === null || run.agentN !== leaf.agentN || run.firstSequence > leaf.sequence) continue;
        if (run.windowId !== null) this.#compareWindow(leaf, agentId, run.windowId);
      }
    } finally {
      await segments.close();
      await runs.close();
    }
  }

  async #readCuts(): Promise<void> {
    const add = this.#scratch.prepare<[string, string, string]>('INSERT OR IGNORE INTO cuts VALUES (?, ?, ?)');
    for await (const { windowId, from, offsets } of this.#anchors.windows()) {
      add.run(windowId, JSON.stringify(from), JSON.stringify(offsets));
    }
  }

  #compareWindow(leaf: LoggedLeaf, agentId: string, windowId: string): void {
    const cut = this.#cutOf(windowId);
    if (cut === null) return;
    const partition = partitionOf(leaf.offset);
    const offset = offsetOf(leaf.offset);
    const begin = cut.begins[partition] ?? 0;
    const end = cut.ends[partition] ?? 0;
    if (offset < begin || offset >= end)
      this.#wrong(agentId, leaf, `window ${windowId} holds it and was cut at ${begin} and ${end}`);
  }

  #cutOf(windowId: string): WindowCut | null {
    if (this.#cut?.windowId === windowId) return this.#cut;
    const row = this.#findCut.get(windowId);
    if (row === undefined) return null;
    const [begins, ends] = [JSON.parse(row.begins) as Offsets, JSON.parse(row.ends) as Offsets];
    return (this.#cut = { windowId, begins, ends });
  }

  #compareLast(): void {
    for (const [id, { n, lastSequence, taken }] of this.#agents) {
      if (n !== null && lastSequence !== taken)
        this.#check.wrong(`${LAYOUT.anchors} agents ${id}`, `last_sequence ${lastSequence}, by the log ${taken}`);
    }
  }

  /** A leaf that no segment holds. */
  #count(arrived: boolean, agentId: string, leaf: Pick<LoggedLeaf, 'sequence' | 'offset'>): void {
    if (arrived) this.#check.examined += 1;
    else if (!this.#position.has(leaf.offset)) this.#check.behind += 1;
    else this.#wrong(agentId, leaf, 'anchoring does not hold its hash');
  }

  #wrong(agentId: string, { offset, sequence }: Pick<LoggedLeaf, 'sequence' | 'offset'>, problem: string): void {
    this.#check.wrong(`${LAYOUT.anchors} agent ${agentId}, sequence ${sequence} (offset ${offset})`, problem);
  }
}

const placeOf = ({ partition, offset }: InspectedArrival): number => placeIn(partition, offset);

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
