import { traceIdOf } from '@countersign/contracts';
import type { EventEnvelope } from '@countersign/contracts';
import { canonicalLeaf, opensAnything } from '@countersign/evidence';
import type { SqliteDatabase } from '@countersign/document-store';
import { HOUR_MS } from '../domain/count-times.js';
import { isBlocked } from '../domain/event-class.js';
import type { AgentHead } from './port.js';
import type { SqliteErasures, Taking } from './sqlite-erasures.js';
import type { SqliteNumbers } from './sqlite-numbers.js';
import { idBytes } from './sqlite-numbers.js';

/** Rows of one statement: fewer calls into the driver. */
const ROWS = 16;
const COLUMNS = 13;

type Value = number | string | Buffer | null;

interface AgentState {
  readonly n: number;
  readonly agentId: string;
  lastSequence: number;
  checks: number;
}

const KEPT_AGENTS = 50_000;

function insertRows(rows: number): string {
  const row = `(${Array.from({ length: COLUMNS }, () => '?').join(',')})`;
  return `INSERT INTO events (n, event_id, account_n, agent_n, sequence, occurred_at, class_n, blocked, erased, refers_to, leaf, facts, trace) VALUES ${Array.from({ length: rows }, () => row).join(',')}`;
}

/**
 * Writes leaves in the order given. `write` runs inside the caller's transaction; after a rollback `forget` MUST be
 * called, since what is remembered of agents went ahead of the database.
 */
export class SqliteAppend {
  readonly #numbers: SqliteNumbers;
  readonly #agents = new Map<string, AgentState>();
  readonly #insertMany;
  readonly #insertOne;
  readonly #isKnown;
  readonly #findAgent;
  readonly #addAgent;
  readonly #moveAgent;
  readonly #addOpening;
  readonly #erasures: SqliteErasures;
  readonly #count;
  readonly #open;
  #nextRow: number | null = null;
  readonly #lastRow;

  constructor(database: SqliteDatabase, numbers: SqliteNumbers, erasures: SqliteErasures) {
    this.#numbers = numbers;
    this.#erasures = erasures;
    this.#insertMany = database.prepare<Value[]>(insertRows(ROWS));
    this.#insertOne = database.prepare<Value[]>(insertRows(1));
    this.#isKnown = database.prepare<[Buffer], number>('SELECT 1 FROM events WHERE event_id = ?').pluck();
    this.#findAgent = database.prepare<[string], Omit<AgentState, 'agentId'>>(
      'SELECT n, last_sequence AS lastSequence, checks FROM agents WHERE id = ?',
    );
    this.#addAgent = database.prepare<[string]>('INSERT INTO agents (id) VALUES (?)');
    this.#moveAgent = database.prepare<[number, number, number, number]>(
      'UPDATE agents SET account_n = coalesce(account_n, ?), last_sequence = ?, checks = ? WHERE n = ?',
    );
    this.#addOpening = database.prepare<[number, string]>('INSERT INTO openings (n, value) VALUES (?, ?)');
    this.#count = database.prepare<[number, number, number, number, number]>(
      `INSERT INTO hours (account_n, agent_n, hour, class_n, count) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET count = count + excluded.count`,
    );
    this.#open = database.prepare<[number, number]>('UPDATE accounts SET open_count = open_count + ? WHERE n = ?');
    this.#lastRow = database.prepare<[], number | null>('SELECT max(n) FROM events').pluck();
  }

  write(envelopes: readonly EventEnvelope[]): readonly AgentHead[] {
    const batch = new Batch();
    for (const envelope of envelopes) this.#take(envelope, batch);
    this.#insert(batch.rows);
    for (const { n, value } of batch.openings) this.#addOpening.run(n, value);
    for (const taking of batch.erasures) this.#erasures.erase(taking);
    for (const taking of batch.retentions) this.#erasures.retain(taking);
    for (const [key, count] of batch.counts) {
      const [accountN, agentN, hour, classN] = key.split(' ').map(Number) as [number, number, number, number];
      this.#count.run(accountN, agentN, hour, classN, count);
    }
    for (const [accountN, count] of batch.blocked) this.#open.run(count, accountN);
    for (const [agent, accountN] of batch.moved) {
      this.#moveAgent.run(accountN, agent.lastSequence, agent.checks, agent.n);
    }
    return [...batch.moved.keys()].map(({ agentId, lastSequence, checks }) => ({ agentId, lastSequence, checks }));
  }

  forget(): void {
    this.#agents.clear();
    this.#nextRow = null;
    this.#numbers.forget();
  }

  #take(envelope: EventEnvelope, batch: Batch): void {
    const { leaf, openings, ...facts } = envelope;
    if (batch.ids.has(leaf.eventId)) return;
    const eventId = idBytes(leaf.eventId);
    if (this.#isKnown.get(eventId) !== undefined) return;
    batch.ids.add(leaf.eventId);

    const agent = this.#agent(leaf.agentId);
    const accountN = this.#numbers.account(envelope.accountId);
    const classN = this.#numbers.classOf(leaf);
    const n = this.#row();
    const occurredAt = Date.parse(leaf.occurredAt);
    const blocked = isBlocked(leaf);
    agent.lastSequence += 1;
    if (leaf.type === 'action.checked') agent.checks += 1;
    batch.moved.set(agent, accountN);
    const refersTo = leaf.refersTo === null ? null : idBytes(leaf.refersTo);
    batch.rows.push(
      n,
      eventId,
      accountN,
      agent.n,
      agent.lastSequence,
      occurredAt,
      classN,
      blocked ? 1 : 0,
      0,
      refersTo,
    );
    const trace = traceIdOf(openings);
    batch.rows.push(canonicalLeaf(leaf), JSON.stringify(facts), trace === null ? null : Buffer.from(trace, 'hex'));
    if (opensAnything(openings)) batch.openings.push({ n, value: JSON.stringify(openings) });
    const hour = Math.floor(occurredAt / HOUR_MS);
    add(batch.counts, `${accountN} 0 ${hour} ${classN}`);
    add(batch.counts, `${accountN} ${agent.n} ${hour} ${classN}`);
    if (blocked) add(batch.blocked, accountN);
    if (leaf.refersTo === null) return;
    const taking = { n, refersTo: leaf.refersTo, agentN: agent.n };
    if (leaf.type === 'content.erased') batch.erasures.push(taking);
    if (leaf.type === 'retention.applied') batch.retentions.push(taking);
  }

  #insert(values: readonly Value[]): void {
    const many = ROWS * COLUMNS;
    let at = 0;
    for (; at + many <= values.length; at += many) this.#insertMany.run(...values.slice(at, at + many));
    for (; at < values.length; at += COLUMNS) this.#insertOne.run(...values.slice(at, at + COLUMNS));
  }

  #agent(agentId: string): AgentState {
    const kept = this.#agents.get(agentId);
    if (kept !== undefined) return kept;
    const row = this.#findAgent.get(agentId);
    const agent: AgentState =
      row === undefined
        ? { n: Number(this.#addAgent.run(agentId).lastInsertRowid), agentId, lastSequence: 0, checks: 0 }
        : { ...row, agentId };
    this.#agents.set(agentId, agent);
    return agent;
  }

  /** Drops what is kept of agents when it has grown too large; between batches only. */
  trim(): void {
    if (this.#agents.size > KEPT_AGENTS) this.#agents.clear();
  }

  #row(): number {
    this.#nextRow ??= (this.#lastRow.get() ?? 0) + 1;
    const n = this.#nextRow;
    this.#nextRow += 1;
    return n;
  }
}

/** Changes that one call of `write` collects before it writes to the tables. */
class Batch {
  readonly ids = new Set<string>();
  readonly rows: Value[] = [];
  readonly openings: { readonly n: number; readonly value: string }[] = [];
  readonly erasures: Taking[] = [];
  readonly retentions: Taking[] = [];
  /** `<account> <agent or 0> <hour> <class>` */
  readonly counts = new Map<string, number>();
  readonly blocked = new Map<number, number>();
  /** With the number of their account: an agent belongs to one for ever. */
  readonly moved = new Map<AgentState, number>();
}

function add<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
