import { crc32 } from 'node:zlib';
import type { Offsets } from '@countersign/event-log';
import { LAYOUT } from './layout.js';
import type { NumberedLeaf } from './number-leaves.js';
import type { Store } from './open-stores.js';
import { offsetOf, partitionOf, placeIn, Reached } from './places.js';
import type { Check } from './report.js';

interface Arrival {
  readonly cadence: number;
  readonly partition: number;
  readonly offset: number;
  readonly agentN: number;
  readonly sequence: number;
  readonly hash: Buffer;
  readonly checkSum: number;
}

interface Segment {
  readonly first: number;
  readonly hashes: Buffer;
}

interface Place {
  readonly windowId: string;
  readonly first: number;
  readonly last: number;
  /** JSON, by partition. */
  readonly begins: string;
  readonly ends: string;
}

interface AgentState {
  /** Its number in the store; `null`: anchoring does not know it. */
  readonly n: number | null;
  /** Leaves below anchoring's position. */
  taken: number;
  segment: Segment | null;
  place: Place | null;
}

/** Segments are dropped from memory beyond this many bytes, and read again. */
const KEPT_BYTES = 32 * 1024 * 1024;
const HASH_BYTES = 32;

/** Walks what anchoring holds of leaves beside the log: hash, sequence and window of each must be the log's. */
export class AnchoredLeafComparison {
  readonly #check: Check;
  readonly #position: Reached;
  readonly #agents = new Map<string, AgentState>();
  readonly #findAgent;
  readonly #findSegment;
  readonly #findPlace;
  readonly #lastSequences;
  readonly #arrivals: Iterator<Arrival>;
  #arrival: Arrival | null = null;
  #bytes = 0;

  constructor(store: Store, check: Check) {
    this.#check = check;
    this.#position = Reached.in(store, 'agent-events');
    this.#findAgent = store.prepare<[string], number>('SELECT n FROM agents WHERE id = ?').pluck();
    this.#findSegment = store.prepare<[number, number], Segment>(
      `SELECT first_sequence AS first, hashes FROM segments WHERE agent_n = ? AND first_sequence <= ?
       ORDER BY first_sequence DESC LIMIT 1`,
    );
    this.#findPlace = store.prepare<[number, number], Place>(
      `SELECT w.id AS windowId, p.first_sequence AS first, p.last_sequence AS last,
         w.from_offsets AS begins, w.offsets AS ends
       FROM window_agents p JOIN windows w ON w.n = p.window_n WHERE p.agent_n = ? AND p.first_sequence <= ?
       ORDER BY p.first_sequence DESC LIMIT 1`,
    );
    this.#lastSequences = store.prepare<[], { id: string; last: number }>(
      'SELECT id, last_sequence AS last FROM agents',
    );
    this.#arrivals = store
      .prepare<[], Arrival>(
        `SELECT cadence, partition, offset, agent_n AS agentN, sequence, hash, check_sum AS checkSum FROM arrivals
         ORDER BY partition, offset, cadence`,
      )
      .iterate();
    this.#advance();
  }

  take(leaf: NumberedLeaf): void {
    const { offset, sequence } = leaf;
    const agent = this.#agent(leaf.envelope.leaf.agentId);
    const waiting = this.#arrivalAt(leaf, agent);
    const segment = agent.n === null ? null : this.#segmentOf(agent, agent.n, sequence);
    if (segment !== null) this.#compareSegment(leaf, agent, segment);
    const taken = this.#position.has(offset);
    if (taken) agent.taken = sequence;
    if (waiting || segment !== null) this.#check.examined += 1;
    else if (!taken) this.#check.behind += 1;
    else this.#wrong(leaf, 'anchoring does not hold its hash');
  }

  /** @param complete the log was read to its end */
  finish(complete: boolean): void {
    if (!complete) return void this.#arrivals.return?.();
    for (let row = this.#arrival; row !== null; row = this.#advance()) this.#surplus(row);
    for (const { id, last } of this.#lastSequences.iterate()) {
      const taken = this.#agents.get(id)?.taken ?? 0;
      if (last !== taken)
        this.#check.wrong(`${LAYOUT.anchors} agents ${id}`, `last_sequence ${last}, by the log ${taken}`);
    }
  }

  #agent(id: string): AgentState {
    let agent = this.#agents.get(id);
    if (agent === undefined) {
      agent = { n: this.#findAgent.get(id) ?? null, taken: 0, segment: null, place: null };
      this.#agents.set(id, agent);
    }
    return agent;
  }

  #advance(): Arrival | null {
    const next = this.#arrivals.next();
    this.#arrival = next.done === true ? null : next.value;
    return this.#arrival;
  }

  /** Whether the leaf lies in an open window, or in one that was just closed. */
  #arrivalAt(leaf: NumberedLeaf, agent: AgentState): boolean {
    while (this.#arrival !== null && placeOf(this.#arrival) < leaf.offset) {
      this.#surplus(this.#arrival);
      this.#advance();
    }
    const row = this.#arrival;
    if (row === null || placeOf(row) !== leaf.offset) return false;
    if (row.agentN !== agent.n || row.sequence !== leaf.sequence) {
      this.#wrong(leaf, `its arrival names agent number ${row.agentN}, sequence ${row.sequence}`);
    }
    if (!row.hash.equals(leaf.hash)) this.#wrong(leaf, 'the hash of its arrival is not the one of the log');
    if (arrivalCheck(row) !== row.checkSum) this.#wrong(leaf, 'the check sum of its arrival does not fit');
    this.#advance();
    return true;
  }

  #surplus(row: Arrival): void {
    this.#check.wrong(
      `${LAYOUT.anchors} arrivals cadence ${row.cadence}, offset ${placeOf(row)}`,
      'the log has no leaf there',
    );
  }

  #segmentOf(agent: AgentState, n: number, sequence: number): Segment | null {
    let { segment } = agent;
    if (segment === null || !holds(segment, sequence)) {
      this.#bytes -= segment?.hashes.length ?? 0;
      segment = this.#findSegment.get(n, sequence) ?? null;
      if (segment !== null && !holds(segment, sequence)) segment = null;
      agent.segment = segment;
      this.#bytes += segment?.hashes.length ?? 0;
      if (this.#bytes > KEPT_BYTES) this.#forget(agent);
    }
    return segment;
  }

  #forget(but: AgentState): void {
    for (const agent of this.#agents.values()) if (agent !== but) agent.segment = null;
    this.#bytes = but.segment?.hashes.length ?? 0;
  }

  #compareSegment(leaf: NumberedLeaf, agent: AgentState, segment: Segment): void {
    const at = (leaf.sequence - segment.first) * HASH_BYTES;
    if (!segment.hashes.subarray(at, at + HASH_BYTES).equals(leaf.hash)) {
      this.#wrong(leaf, `its hash in the segment from ${segment.first} is not the one of the log`);
    }
    if (leaf.offset < 0) return;
    if (agent.place === null || agent.place.last < leaf.sequence) {
      agent.place = this.#findPlace.get(agent.n!, leaf.sequence) ?? null;
    }
    const { place } = agent;
    // A segment without a window: its window was being closed.
    if (place === null || place.last < leaf.sequence) return;
    const partition = partitionOf(leaf.offset);
    const offset = offsetOf(leaf.offset);
    const begin = (JSON.parse(place.begins) as Offsets)[partition] ?? 0;
    const end = (JSON.parse(place.ends) as Offsets)[partition] ?? 0;
    if (offset < begin || offset >= end) {
      this.#wrong(leaf, `window ${place.windowId} holds it and was cut at ${begin} and ${end}`);
    }
  }

  #wrong({ offset, sequence, envelope }: NumberedLeaf, problem: string): void {
    const { agentId } = envelope.leaf;
    this.#check.wrong(`${LAYOUT.anchors} agent ${agentId}, sequence ${sequence} (offset ${offset})`, problem);
  }
}

function holds({ first, hashes }: Segment, sequence: number): boolean {
  return sequence >= first && sequence < first + hashes.length / HASH_BYTES;
}

const placeOf = ({ partition, offset }: Arrival): number => placeIn(partition, offset);

const scratch = Buffer.alloc(5 * 8 + HASH_BYTES);

function arrivalCheck({ cadence, partition, offset, agentN, sequence, hash }: Arrival): number | null {
  if (hash.length !== HASH_BYTES) return null;
  for (const [i, value] of [cadence, partition, offset, agentN, sequence].entries())
    scratch.writeDoubleBE(value, i * 8);
  scratch.set(hash, 40);
  return crc32(scratch);
}
