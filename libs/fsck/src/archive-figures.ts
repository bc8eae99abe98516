import type { ArchiveInspection, BlockedCount, EventOutline } from '@countersign/audit-log';
import { LAYOUT } from './layout.js';
import { placeIn } from './places.js';
import type { Check } from './report.js';
import { scratch } from './scratch.js';

interface AgentFigures {
  first: number;
  last: number;
  count: number;
  checks: number;
}

interface Blocked extends Omit<BlockedCount, 'accountId'> {
  counted: number;
}

/** Counts by hour that are kept in memory before they are added to the temporary file. */
const KEPT_COUNTS = 10_000;
const ORDERS = 500;
const HOUR_MS = 3_600_000;

/**
 * Compares counts by hour, heads, inboxes and marks of erasure with the archived events from which they follow. Memory grows with agents and accounts alone.
 */
export async function checkArchiveFigures(archive: ArchiveInspection, check: Check): Promise<void> {
  const uncounted = await archive.uncounted();
  if (uncounted > 0) {
    check.behind = uncounted;
    check.note('figures are compared once all events are counted');
    return;
  }
  const figures = new Figures(archive, check);
  try {
    await figures.read();
    await figures.compare();
  } finally {
    figures.close();
  }
}

class Figures {
  readonly #scratch = scratch();
  readonly #addCounted;
  readonly #addKept;
  readonly #isOrdered;
  readonly #hours = new Map<string, number>();
  readonly #agents = new Map<string, AgentFigures>();
  readonly #blocked = new Map<string, Blocked>();
  /** Sequence up to which retention took the content of each agent's checks. */
  readonly #retained = new Map<string, number>();

  constructor(
    private readonly archive: ArchiveInspection,
    private readonly check: Check,
  ) {
    this.#scratch.exec(
      `CREATE TABLE counted (key TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
       CREATE TABLE kept (key TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
       CREATE TABLE ordered (event_id TEXT PRIMARY KEY) WITHOUT ROWID; BEGIN`,
    );
    const add = (table: string) =>
      this.#scratch.prepare<[string, number]>(
        `INSERT INTO ${table} VALUES (?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count`,
      );
    this.#addCounted = add('counted');
    this.#addKept = add('kept');
    this.#isOrdered = this.#scratch.prepare<[string], number>('SELECT 1 FROM ordered WHERE event_id = ?').pluck();
  }

  async read(): Promise<void> {
    for await (const { accountId, ...blocked } of this.archive.blockedCounts()) {
      this.#blocked.set(accountId, { ...blocked, counted: 0 });
    }
    await this.#readOrders();
    for await (const outline of this.archive.outlines()) this.#take(outline);
    this.#flushHours();
  }

  async compare(): Promise<void> {
    await this.#compareHours();
    await this.#compareAgents();
    for (const [accountId, { count, counted }] of this.#blocked) {
      this.check.examined += 1;
      if (count !== counted)
        this.#wrong(`accounts ${accountId}`, 'its open count is not the number of its blocked events');
    }
  }

  close(): void {
    this.#scratch.close();
  }

  async #readOrders(): Promise<void> {
    let orders: EventOutline[] = [];
    for await (const order of this.archive.orders()) {
      orders.push(order);
      if (orders.length < ORDERS) continue;
      await this.#takeOrders(orders);
      orders = [];
    }
    await this.#takeOrders(orders);
  }

  async #takeOrders(orders: readonly EventOutline[]): Promise<void> {
    const ordered = this.#scratch.prepare<[string]>('INSERT OR IGNORE INTO ordered VALUES (?)');
    const targets = await this.archive.find(orders.map(({ refersTo }) => refersTo!));
    for (const order of orders) {
      const { agentId } = order;
      const isErasure = order.class?.type === 'content.erased';
      if (isErasure) ordered.run(order.refersTo!);
      const target = targets.get(order.refersTo!);
      if (target === undefined || target.agentId !== agentId || placeOf(target) >= placeOf(order)) continue;
      if (!isErasure) this.#retained.set(agentId!, Math.max(target.sequence, this.#retained.get(agentId!) ?? 0));
      else if (!target.erased) this.#wrong(`events ${placeOf(target)}`, 'its content was to be erased and is not');
    }
  }

  #take(outline: EventOutline): void {
    const { agentId, accountId, sequence, occurredAtMs } = outline;
    const type = outline.class?.type ?? '';
    const hour = Math.floor(occurredAtMs / HOUR_MS);
    this.#count(keyOf('agent', agentId ?? '', hour, outline));
    this.#count(keyOf('account', accountId ?? '', hour, outline));
    const agent = this.#agent(agentId ?? '');
    agent.first = Math.min(agent.first, sequence);
    agent.last = Math.max(agent.last, sequence);
    agent.count += 1;
    if (type === 'action.checked') agent.checks += 1;
    if (outline.blocked) this.#takeBlocked(outline);
    const isRetained = type.startsWith('action.') && sequence <= (this.#retained.get(agentId ?? '') ?? 0);
    if (outline.erased && !isRetained && this.#isOrdered.get(outline.eventId) === undefined)
      this.#wrong(`events ${placeOf(outline)}`, 'it is marked erased and no event says so');
    if (isRetained && outline.hasOpenings)
      this.#wrong(`events ${placeOf(outline)}`, 'retention was to take its content and it is still there');
  }

  #takeBlocked({ accountId, at }: EventOutline): void {
    let blocked = this.#blocked.get(accountId ?? '');
    if (blocked === undefined) {
      blocked = { count: 0, after: null, counted: 0 };
      this.#blocked.set(accountId ?? '', blocked);
    }
    const { after } = blocked;
    if (after === null || placeIn(at.partition, at.offset) > placeIn(after.partition, after.offset)) {
      blocked.counted += 1;
    }
  }

  #agent(agentId: string): AgentFigures {
    let agent = this.#agents.get(agentId);
    if (agent === undefined) {
      agent = { first: Infinity, last: 0, count: 0, checks: 0 };
      this.#agents.set(agentId, agent);
    }
    return agent;
  }

  #count(key: string): void {
    this.#hours.set(key, (this.#hours.get(key) ?? 0) + 1);
    if (this.#hours.size >= KEPT_COUNTS) this.#flushHours();
  }

  #flushHours(): void {
    for (const [key, count] of this.#hours) this.#addCounted.run(key, count);
    this.#hours.clear();
  }

  async #compareHours(): Promise<void> {
    for await (const kept of this.archive.hourCounts()) {
      this.check.examined += 1;
      this.#addKept.run(keyOf(kept.of, kept.id, kept.hour, kept), kept.count);
    }
    const difference = (of: string, from: string) =>
      this.#scratch.prepare<[], string>(`SELECT key FROM (SELECT * FROM ${of} EXCEPT SELECT * FROM ${from})`).pluck();
    for (const key of difference('kept', 'counted').iterate())
      this.#wrong(`hours ${key}`, 'a count by hour is not what the events add up to');
    for (const key of difference('counted', 'kept').iterate())
      this.#wrong(`hours ${key}`, 'a count by hour is missing');
  }

  async #compareAgents(): Promise<void> {
    for await (const { agentId, lastSequence, checks } of this.archive.agents()) {
      this.check.examined += 1;
      const { first, last, count, checks: counted } = this.#agents.get(agentId) ?? NO_EVENTS;
      if (lastSequence !== last || first !== 1 || count !== last)
        this.#wrong(`agents ${agentId}`, 'its sequences are not 1 to its last_sequence without a gap');
      if (checks !== counted) this.#wrong(`agents ${agentId}`, 'its number of checks is not the number of its events');
      this.#agents.delete(agentId);
    }
    for (const agentId of this.#agents.keys()) this.#wrong(`agents ${agentId}`, 'it has events and no head');
  }

  #wrong(place: string, problem: string): void {
    this.check.wrong(`${LAYOUT.archive} ${place}`, problem);
  }
}

const NO_EVENTS: AgentFigures = { first: 1, last: 0, count: 0, checks: 0 };

function keyOf(of: string, id: string, hour: number, { class: kind }: Pick<EventOutline, 'class'>): string {
  return `${of} ${id} ${hour} ${kind?.type} ${kind?.outcome} ${kind?.allowed} ${kind?.violationType}`;
}

function placeOf({ at }: EventOutline): number {
  return placeIn(at.partition, at.offset);
}
