import { agentKey, type Sha256 } from '@countersign/evidence';
import type { Offsets } from '@countersign/event-log';
import type { SqliteDatabase } from '@countersign/document-store';
import { arrivalCheck } from '../domain/arrival-check.js';
import { effectiveCadence } from '../domain/effective-cadence.js';
import type { ArrivingLeaf } from './port.js';

interface AgentState {
  readonly n: number;
  lastSequence: number;
  cadence: number | null;
  windowNumber: number | null;
}

interface OpenWindow {
  readonly number: number;
  openedAtMs: number | null;
  /** Where it begins: what lies below and comes now goes into the one before, which is ending. */
  readonly from: Offsets;
}

interface OpenRow extends Omit<OpenWindow, 'from'> {
  readonly from: string;
}

const KEPT_AGENTS = 50_000;
/** Ids are forgotten after 72 h of log time: no writer appends an event later than 48 h after its time. */
const REMEMBERED_MS = 72 * 3_600_000;
const FORGOTTEN_AT_ONCE = 5_000;

/**
 * Numbers leaves and puts them into open windows. `take` runs inside the caller's transaction; after a rollback, and
 * after a cut, `forget` MUST be called, since what is remembered would be ahead of the database or behind it.
 */
export class SqliteLeaves {
  readonly #sha256: Sha256;
  readonly #agents = new Map<string, AgentState>();
  readonly #open = new Map<number, OpenWindow>();
  readonly #see;
  readonly #forgetSeen;
  readonly #findAgent;
  readonly #addAgent;
  readonly #moveAgent;
  readonly #findCadence;
  readonly #addCadence;
  readonly #openCadence;
  readonly #carry;
  readonly #arrive;

  constructor(database: SqliteDatabase, sha256: Sha256) {
    this.#sha256 = sha256;
    this.#see = database.prepare<[Buffer]>('INSERT OR IGNORE INTO seen (event_id) VALUES (?)');
    this.#forgetSeen = database.prepare<[Buffer, number]>(
      'DELETE FROM seen WHERE event_id IN (SELECT event_id FROM seen WHERE event_id < ? ORDER BY event_id LIMIT ?)',
    );
    this.#findAgent = database.prepare<[string], AgentState>(
      'SELECT n, last_sequence AS lastSequence, cadence, window_number AS windowNumber FROM agents WHERE id = ?',
    );
    this.#addAgent = database.prepare<[string, Buffer]>('INSERT INTO agents (id, key, last_sequence) VALUES (?, ?, 0)');
    this.#moveAgent = database.prepare<[number, number | null, number | null, number]>(
      'UPDATE agents SET last_sequence = ?, cadence = ?, window_number = ? WHERE n = ?',
    );
    this.#findCadence = database.prepare<[number], OpenRow>(
      'SELECT open_number AS number, opened_at AS openedAtMs, cut_offsets AS "from" FROM cadences WHERE cadence = ?',
    );
    this.#addCadence = database.prepare<[number]>('INSERT INTO cadences (cadence) VALUES (?)');
    this.#openCadence = database.prepare<[number, number]>('UPDATE cadences SET opened_at = ? WHERE cadence = ?');
    this.#carry = database.prepare<[number, number, number, number, number, number]>(
      `INSERT OR IGNORE INTO carried (stamp, agent_n, cadence, window_number, partition, first_offset)
       VALUES (?, ?, ?, ?, ?, ?)`,
    );
    this.#arrive = database.prepare<[number, number, number, number, number, Uint8Array, number]>(
      `INSERT INTO arrivals (cadence, partition, offset, agent_n, sequence, hash, check_sum) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
  }

  take(leaves: readonly ArrivingLeaf[], partition: number): void {
    if (this.#agents.size > KEPT_AGENTS) this.#agents.clear();
    const moved = new Set<AgentState>();
    const opened = new Set<number>();
    for (const leaf of leaves) {
      const eventId = Buffer.from(leaf.eventId.replaceAll('-', ''), 'hex');
      if (this.#see.run(eventId).changes === 0) continue;
      const agent = this.#agent(leaf.agentId);
      const { offset } = leaf;
      const isOpen = (one: OpenWindow): boolean => offset >= (one.from[partition] ?? 0);
      const number = (one: number): number => {
        const window = this.#window(one);
        return isOpen(window) ? window.number : window.number - 1;
      };
      const cadence = effectiveCadence(placeOf(agent), leaf.cadenceSeconds, number);
      const window = this.#window(cadence);
      agent.lastSequence += 1;
      agent.cadence = cadence;
      agent.windowNumber = number(cadence);
      moved.add(agent);
      if (cadence !== leaf.cadenceSeconds) {
        this.#carry.run(leaf.cadenceSeconds, agent.n, cadence, agent.windowNumber, partition, offset);
      }
      if (isOpen(window) && (window.openedAtMs === null || leaf.cameAtMs < window.openedAtMs)) {
        window.openedAtMs = leaf.cameAtMs;
        opened.add(cadence);
      }
      const check = arrivalCheck(cadence, partition, offset, agent.n, agent.lastSequence, leaf.hash);
      this.#arrive.run(cadence, partition, offset, agent.n, agent.lastSequence, leaf.hash, check);
    }
    for (const agent of moved) this.#moveAgent.run(agent.lastSequence, agent.cadence, agent.windowNumber, agent.n);
    for (const cadence of opened) this.#openCadence.run(this.#window(cadence).openedAtMs!, cadence);
    const last = leaves.at(-1);
    if (last !== undefined) this.#forgetSeen.run(idFloor(last.cameAtMs - REMEMBERED_MS), FORGOTTEN_AT_ONCE);
  }

  forget(): void {
    this.#agents.clear();
    this.#open.clear();
  }

  /** Other windows are open now; what is known of agents still holds. */
  windowsCut(): void {
    this.#open.clear();
  }

  #agent(id: string): AgentState {
    let agent = this.#agents.get(id) ?? this.#findAgent.get(id);
    if (agent === undefined) {
      const key = Buffer.from(agentKey(id, this.#sha256), 'hex');
      const n = Number(this.#addAgent.run(id, key).lastInsertRowid);
      agent = { n, lastSequence: 0, cadence: null, windowNumber: null };
    }
    this.#agents.set(id, agent);
    return agent;
  }

  #window(cadence: number): OpenWindow {
    const known = this.#open.get(cadence);
    if (known !== undefined) return known;
    const row = this.#findCadence.get(cadence);
    if (row === undefined) this.#addCadence.run(cadence);
    const window =
      row === undefined ? { number: 1, openedAtMs: null, from: {} } : { ...row, from: JSON.parse(row.from) as Offsets };
    this.#open.set(cadence, window);
    return window;
  }
}

function placeOf({ cadence, windowNumber }: AgentState): { cadenceSeconds: number; windowNumber: number } | null {
  return cadence === null || windowNumber === null ? null : { cadenceSeconds: cadence, windowNumber };
}

/** The lowest UUID v7 of a time. */
function idFloor(ms: number): Buffer {
  const floor = Buffer.alloc(16);
  floor.writeUIntBE(Math.max(0, ms), 0, 6);
  return floor;
}
