import type { ArchivedEvent, EventEnvelope, LeafEvent, Openings } from '@countersign/contracts';
import type { SqliteDatabase } from '@countersign/document-store';
import type { StoredEvent } from '../domain/event-record.js';
import type { EventFilter } from '../domain/event-filter.js';
import { onlyBlocked } from '../domain/event-class.js';
import { countedHours, EARLIEST, LATEST, wholeHours, type WholeHours } from '../domain/count-times.js';
import { placePage, type CountedTime } from '../domain/place-page.js';
import {
  ARRIVALS_LENGTH,
  PAGE_LENGTH,
  SCANNED,
  type Page,
  type Arrivals,
  type Cursor,
  type KeysetPage,
} from './port.js';
import type { SqliteNumbers } from './sqlite-numbers.js';

/** `:anchored` is whether the leaf lies in an anchored window of its agent. */
const SHOWN = `e.sequence, e.leaf, o.value AS openings, coalesce((
  SELECT w.last_sequence >= e.sequence FROM agent_windows w
  WHERE w.agent_n = e.agent_n AND w.first_sequence <= e.sequence ORDER BY w.first_sequence DESC LIMIT 1), 0) AS anchored
  FROM events e LEFT JOIN openings o ON o.n = e.n`;

const ARCHIVED = `e.sequence, e.erased, e.leaf, e.facts, o.value AS openings
  FROM events e LEFT JOIN openings o ON o.n = e.n`;

interface ShownRow {
  readonly sequence: number;
  readonly leaf: string;
  readonly openings: string | null;
  readonly anchored: number;
}

interface PlacedRow {
  readonly n: number;
  readonly at: number;
  readonly hit: number | null;
}

interface ArchivedRow {
  readonly sequence: number;
  readonly erased: number;
  readonly leaf: string;
  readonly facts: string;
  readonly openings: string | null;
}

interface Range {
  readonly accountN: number;
  /** `null`: all agents of the account. */
  readonly agentN: number | null;
  readonly classes: readonly number[] | null;
  /** Trace id; `null`: any, or none. */
  readonly trace: Buffer | null;
  readonly fromMs: number;
  readonly toMs: number;
}

type Parameter = number | string | Buffer;

interface Statement {
  all(...parameters: Parameter[]): unknown[];
  iterate(...parameters: Parameter[]): IterableIterator<unknown>;
}

/** Reads pages and counts. Statements differ by filter only in their text, so they are prepared once for each. */
export class SqliteList {
  readonly #database: SqliteDatabase;
  readonly #numbers: SqliteNumbers;
  readonly #statements = new Map<string, Statement>();

  constructor(database: SqliteDatabase, numbers: SqliteNumbers) {
    this.#database = database;
    this.#numbers = numbers;
  }

  list(accountId: string, filter: EventFilter, page: Page): { events: StoredEvent[]; total: number } {
    const range = this.#range(accountId, filter);
    if (range === null) return { events: [], total: 0 };
    const { total, fromMs, toMs, limit, offset } = placePage(this.#times(range), page);
    if (limit === 0) return { events: [], total };
    const near = { ...range, fromMs: Math.max(fromMs, range.fromMs), toMs: Math.min(toMs, range.toMs) };
    const sql = `WITH page AS (SELECT n FROM events ${where(near)} ORDER BY occurred_at DESC, n DESC LIMIT ? OFFSET ?)
      SELECT ${SHOWN} WHERE e.n IN page ORDER BY e.occurred_at DESC, e.n DESC`;
    return { events: this.#all<ShownRow>(sql, ...bounds(near), limit, offset).map(shown), total };
  }

  /** Places are `[occurred_at, n]`. Rows are read one by one: what a walk holds is bounded by their size as well. */
  pageAfter(accountId: string, filter: EventFilter, after: Cursor | null, limit: number): KeysetPage {
    const range = this.#range(accountId, filter);
    if (range === null) return { events: [], next: null };
    const [at = LATEST, n = Number.MAX_SAFE_INTEGER] = after ?? [];
    const near = { ...range, toMs: Math.min(range.toMs, at + 1) };
    const { hit, values } = hitOf(filter);
    const read = values.length === 0 ? limit : SCANNED;
    const sql = `SELECT n, occurred_at AS at, ${hit} AS hit FROM events
      ${onlyBlocked(filter) ? whereBlocked(near) : where(near)} AND (occurred_at < ? OR n < ?)
      ORDER BY occurred_at DESC, n DESC LIMIT ?`;
    const ahead = this.#all<PlacedRow>(sql, ...values, ...bounds(near), at, n, read);
    const events: StoredEvent[] = [];
    let length = 0;
    for (const place of ahead) {
      if (place.hit !== 1) continue;
      const row = this.#all<ShownRow>(`SELECT ${SHOWN} WHERE e.n = ?`, place.n)[0]!;
      events.push(shown(row));
      length += row.leaf.length + (row.openings?.length ?? 0);
      if (length >= PAGE_LENGTH || events.length === limit) return { events, next: [place.at, place.n] };
    }
    const last = ahead.length < read ? undefined : ahead.at(-1);
    return { events, next: last === undefined ? null : [last.at, last.n] };
  }

  /** The row that was stored last; 0: there is none. */
  lastRow(): number {
    return this.#all<{ last: number | null }>('SELECT max(n) AS last FROM events')[0]?.last ?? 0;
  }

  /** Rows `afterN < n <= toN` of the account, read in the order of rows: no other index has few of them. */
  arrivals(
    accountId: string,
    filter: EventFilter,
    { afterN, toN }: { readonly afterN: number; readonly toN: number },
    limit: number,
  ): Arrivals {
    const range = this.#range(accountId, filter);
    if (range === null) return { events: [], count: 0 };
    const { accountN, agentN, classes } = range;
    const among = `e.n > ? AND e.n <= ? AND +e.account_n = ? ${agentN === null ? '' : `AND +e.agent_n = ${agentN}`}
      ${classFilter(classes).replace('class_n', '+e.class_n')} ${filter.rule === undefined ? '' : 'AND e.rule = ?'}`;
    const values = [afterN, toN, accountN, ...(filter.rule === undefined ? [] : [filter.rule])];
    const newest = `SELECT ${SHOWN} WHERE ${among} ORDER BY e.n DESC LIMIT ?`;
    const events: StoredEvent[] = [];
    let length = 0;
    for (const row of this.#rows<ShownRow>(newest, ...values, limit)) {
      length += row.leaf.length + (row.openings?.length ?? 0);
      if (length > ARRIVALS_LENGTH && events.length > 0) break;
      events.push(shown(row));
    }
    events.reverse();
    if (events.length < limit && length <= ARRIVALS_LENGTH) return { events, count: events.length };
    const sql = `SELECT count(*) AS total FROM events e WHERE ${among}`;
    return { events, count: this.#all<{ total: number }>(sql, ...values)[0]!.total };
  }

  find(accountId: string, eventId: Buffer): StoredEvent | null {
    const accountN = this.#numbers.knownAccount(accountId);
    if (accountN === null) return null;
    const rows = this.#all<ShownRow>(`SELECT ${SHOWN} WHERE e.event_id = ? AND e.account_n = ?`, eventId, accountN);
    return rows[0] === undefined ? null : shown(rows[0]);
  }

  findArchived(accountId: string, eventId: Buffer): ArchivedEvent | null {
    const accountN = this.#numbers.knownAccount(accountId);
    if (accountN === null) return null;
    const sql = `SELECT ${ARCHIVED} WHERE e.event_id = ? AND e.account_n = ?`;
    return this.#all<ArchivedRow>(sql, eventId, accountN).map(archived)[0] ?? null;
  }

  /** Blocked leaves that arrived after row `afterN`, without denials by people. */
  blocked(accountN: number, afterN: number, { limit, offset }: Page): StoredEvent[] {
    const sql = `WITH page AS (SELECT n FROM events WHERE blocked = 1 AND account_n = ? AND n > ?
        AND n NOT IN (SELECT n ${DENIED_BY_PEOPLE})
        ORDER BY occurred_at DESC, n DESC LIMIT ? OFFSET ?)
      SELECT ${SHOWN} WHERE e.n IN page ORDER BY e.occurred_at DESC, e.n DESC`;
    return this.#all<ShownRow>(sql, accountN, afterN, accountN, afterN, limit, offset).map(shown);
  }

  /** Leaves of the newest blocked events that arrived after row `afterN`, without denials by people. */
  blockedLeaves(accountN: number, afterN: number, limit: number): LeafEvent[] {
    const sql = `SELECT leaf FROM events INDEXED BY events_blocked WHERE blocked = 1 AND account_n = ? AND n > ?
      AND n NOT IN (SELECT n ${DENIED_BY_PEOPLE}) ORDER BY occurred_at DESC, n DESC LIMIT ?`;
    return this.#all<{ leaf: string }>(sql, accountN, afterN, accountN, afterN, limit).map(
      ({ leaf }) => JSON.parse(leaf) as LeafEvent,
    );
  }

  /** Denials by people that arrived after row `afterN`. */
  countDeniedByPeople(accountN: number, afterN: number): number {
    return this.#all<{ total: number }>(`SELECT count(*) AS total ${DENIED_BY_PEOPLE}`, accountN, afterN)[0]!.total;
  }

  countBlocked(accountN: number, afterN: number): number {
    const sql = `SELECT count(*) AS total FROM events INDEXED BY events_blocked
      WHERE blocked = 1 AND account_n = ? AND n > ?`;
    return this.#all<{ total: number }>(sql, accountN, afterN)[0]!.total;
  }

  range(agentId: string, first: number, last: number, limit: number): ArchivedEvent[] {
    const sql = `SELECT ${ARCHIVED} WHERE e.agent_n = (SELECT n FROM agents WHERE id = ?)
      AND e.sequence BETWEEN ? AND ? ORDER BY e.sequence LIMIT ?`;
    return this.#all<ArchivedRow>(sql, agentId, first, last, limit).map(archived);
  }

  newestChecks(agentId: string, count: number): { firstMs: number; lastMs: number } | null {
    const classes = classFilter(this.#numbers.matching({ type: 'action.checked' }));
    const sql = `SELECT min(at) AS firstMs, max(at) AS lastMs FROM (
      SELECT occurred_at AS at FROM events INDEXED BY events_by_agent
      WHERE agent_n = (SELECT n FROM agents WHERE id = ?) ${classes} ORDER BY occurred_at DESC, n DESC LIMIT ?)`;
    const found = this.#all<{ firstMs: number | null; lastMs: number | null }>(sql, agentId, count)[0]!;
    return found.firstMs === null || found.lastMs === null ? null : { firstMs: found.firstMs, lastMs: found.lastMs };
  }

  referring(eventId: Buffer): ArchivedEvent[] {
    return this.#all<ArchivedRow>(`SELECT ${ARCHIVED} WHERE e.refers_to = ? ORDER BY e.n`, eventId).map(archived);
  }

  /** None where the id is unknown. */
  leaf(eventId: Buffer): LeafEvent[] {
    const rows = this.#all<{ leaf: string }>('SELECT leaf FROM events WHERE event_id = ?', eventId);
    return rows.map(({ leaf }) => JSON.parse(leaf) as LeafEvent);
  }

  #range(accountId: string, filter: EventFilter): Range | null {
    const accountN = this.#numbers.knownAccount(accountId);
    const classes = this.#numbers.matching(filter);
    if (accountN === null || classes?.length === 0) return null;
    const agentN = filter.agentId === undefined ? null : this.#agent(accountN, filter.agentId);
    if (agentN === undefined) return null;
    const fromMs = Math.max(filter.fromMs ?? EARLIEST, EARLIEST);
    const toMs = Math.min(filter.toMs ?? LATEST, LATEST);
    const trace = filter.trace === undefined ? null : Buffer.from(filter.trace, 'hex');
    return fromMs >= toMs ? null : { accountN, agentN, classes, trace, fromMs, toMs };
  }

  #agent(accountN: number, agentId: string): number | undefined {
    return this.#all<{ n: number }>('SELECT n FROM agents WHERE id = ? AND account_n = ?', agentId, accountN)[0]?.n;
  }

  /** Whole hours from their counts, the two broken ones from the index; newest first. */
  #times(range: Range): readonly CountedTime[] {
    const { whole, broken } = wholeHours(range);
    const counted = broken.map((part) => ({ ...part, count: this.#countRows({ ...range, ...part }) }));
    return countedHours(this.#countHours(range, whole), whole, counted);
  }

  #countHours({ accountN, agentN, classes }: Range, { first, end }: WholeHours): { hour: number; count: number }[] {
    const sql = `SELECT hour, sum(count) AS count FROM hours
      WHERE account_n = ? AND agent_n = ? AND hour >= ? AND hour < ? ${classFilter(classes)} GROUP BY hour`;
    return this.#all(sql, accountN, agentN ?? 0, first, end);
  }

  #countRows(range: Range): number {
    const sql = `SELECT count(*) AS total FROM events ${where(range)}`;
    return this.#all<{ total: number }>(sql, ...bounds(range))[0]!.total;
  }

  #all<Row>(sql: string, ...parameters: Parameter[]): Row[] {
    return this.#prepared(sql).all(...parameters) as Row[];
  }

  /** Reads a row when it is asked for; nothing else may be read meanwhile. */
  #rows<Row>(sql: string, ...parameters: Parameter[]): IterableIterator<Row> {
    return this.#prepared(sql).iterate(...parameters) as IterableIterator<Row>;
  }

  #prepared(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      if (this.#statements.size >= 500) this.#statements.clear();
      statement = this.#database.prepare<Parameter[]>(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

function where({ agentN, classes, trace }: Range): string {
  if (trace !== null) {
    const ofAgent = agentN === null ? '' : `AND agent_n = ${agentN}`;
    return `INDEXED BY events_by_trace WHERE account_n = ? AND trace = ? AND occurred_at >= ? AND occurred_at < ?
      ${ofAgent} ${classFilter(classes)}`;
  }
  const by =
    agentN === null
      ? 'INDEXED BY events_by_account WHERE account_n = ?'
      : 'INDEXED BY events_by_agent WHERE agent_n = ?';
  return `${by} AND occurred_at >= ? AND occurred_at < ? ${classFilter(classes)}`;
}

/** For filters that let only blocked leaves through: their index holds no others. */
function whereBlocked(range: Range): string {
  if (range.agentN !== null || range.trace !== null) return where(range);
  return `INDEXED BY events_blocked WHERE blocked = 1 AND account_n = ? AND occurred_at >= ? AND occurred_at < ?
    ${classFilter(range.classes)}`;
}

/** Of an account, after a row. */
const DENIED_BY_PEOPLE = `FROM events INDEXED BY events_denied_by_people
  WHERE blocked = 1 AND refers_to IS NOT NULL AND account_n = ? AND n > ?`;

/** Of an event: who caused it, and whom it is about, as `isByPerson` reads them. */
const PERSON = `coalesce((SELECT ? IN (
    json_extract(o.value, '$.action.value.by'), json_extract(o.value, '$.action.value.by.id'),
    json_extract(o.value, '$.action.value.user.id')) FROM openings o WHERE o.n = events.n), 0)`;

/** The members of a filter that no class has, as an expression of a row; no values: it has none. */
function hitOf({ rule, by }: EventFilter): { readonly hit: string; readonly values: readonly string[] } {
  const parts: string[] = [];
  const values: string[] = [];
  if (rule !== undefined) {
    parts.push('rule IS ?');
    values.push(rule);
  }
  if (by !== undefined) {
    parts.push(`(json_extract(leaf, '$.detail') IS ? OR ${PERSON})`);
    values.push(`user:${by}`, by);
  }
  return { hit: parts.length === 0 ? '1' : `(${parts.join(' AND ')})`, values };
}

function bounds({ accountN, agentN, trace, fromMs, toMs }: Range): Parameter[] {
  if (trace !== null) return [accountN, trace, fromMs, toMs];
  return agentN === null ? [accountN, fromMs, toMs] : [agentN, fromMs, toMs];
}

/** The numbers are ours: they may stand in the text. */
function classFilter(classes: readonly number[] | null): string {
  return classes === null ? '' : `AND class_n IN (${classes.join(',')})`;
}

function shown({ sequence, leaf, openings, anchored }: ShownRow): StoredEvent {
  return {
    sequence,
    leaf: JSON.parse(leaf) as LeafEvent,
    openings: readOpenings(openings),
    anchored: anchored === 1,
  };
}

function archived({ sequence, erased, leaf, facts, openings }: ArchivedRow): ArchivedEvent {
  const rest = JSON.parse(facts) as Omit<EventEnvelope, 'leaf' | 'openings'>;
  return {
    sequence,
    erased: erased !== 0,
    envelope: { ...rest, leaf: JSON.parse(leaf) as LeafEvent, openings: readOpenings(openings) },
  };
}

function readOpenings(text: string | null): Openings {
  return text === null ? {} : (JSON.parse(text) as Openings);
}
