import type { TopicName } from '@countersign/contracts';
import { openForInspection, rowProblems } from '@countersign/document-store';
import type { Problem, RowQuestion, SqliteDatabase } from '@countersign/document-store';
import type { EventClass } from '../domain/event-class.js';
import type {
  AgentRun,
  ArchiveInspection,
  ArchiveRange,
  BlockedCount,
  EventOutline,
  HourCount,
  InspectedAgent,
  InspectedEvent,
} from './inspection.js';
import type { AnchoredWindow } from './port.js';
import { MIGRATIONS } from './schema.js';
import { idBytes, idText } from './sqlite-numbers.js';

interface ClassColumns {
  readonly type: string | null;
  readonly outcome: string | null;
  readonly allowed: number | null;
  readonly violationType: string | null;
}

interface OutlineRow extends ClassColumns {
  readonly n: number;
  readonly eventId: Buffer;
  readonly agentId: string | null;
  readonly accountId: string | null;
  readonly sequence: number;
  readonly occurredAt: number;
  readonly blocked: number;
  readonly erased: number;
  readonly refersTo: Buffer | null;
  readonly trace: Buffer | null;
  readonly rule: string | null;
  readonly hasOpenings: number;
}

interface EventRow extends OutlineRow {
  readonly leaf: string;
  readonly facts: string;
  readonly openings: string | null;
}

const CLASS = 'k.type, k.outcome, k.allowed, k.violation_type AS violationType';
const OUTLINE = `e.n, e.event_id AS eventId, a.id AS agentId, c.id AS accountId, e.sequence, e.occurred_at AS occurredAt,
  e.blocked, e.erased, e.refers_to AS refersTo, e.trace, e.rule, ${CLASS}, o.n IS NOT NULL AS hasOpenings`;
const TEXTS = 'e.leaf, e.facts, o.value AS openings';
const FROM = `FROM events e LEFT JOIN agents a ON a.n = e.agent_n LEFT JOIN accounts c ON c.n = e.account_n
  LEFT JOIN classes k ON k.n = e.class_n LEFT JOIN openings o ON o.n = e.n`;
const PAGE = 500;

/** {@link ArchiveInspection} of a file. */
export class SqliteInspection implements ArchiveInspection {
  readonly #database: SqliteDatabase;

  /** @throws OtherLayout */
  constructor(file: string) {
    this.#database = openForInspection(file, MIGRATIONS);
  }

  async positions(topic: TopicName): Promise<ReadonlyMap<number, number>> {
    const rows = this.#database.prepare<[string], [number, number]>(
      'SELECT partition, next FROM positions WHERE topic = ?',
    );
    return new Map(rows.raw().all(topic));
  }

  async *events({ from, to }: Omit<ArchiveRange, 'partition'> = ALL): AsyncGenerator<InspectedEvent> {
    for (const row of this.#rows<EventRow>(`${OUTLINE}, ${TEXTS}`, from, to)) yield eventOf(row);
  }

  async *outlines(): AsyncGenerator<EventOutline> {
    for (const row of this.#rows<OutlineRow>(OUTLINE, ALL.from, ALL.to)) yield outlineOf(row);
  }

  async *orders(): AsyncGenerator<EventOutline> {
    const rows = this.#database.prepare<[], OutlineRow>(
      `SELECT ${OUTLINE} ${FROM} WHERE e.refers_to IS NOT NULL AND k.type IN ('content.erased', 'retention.applied')`,
    );
    for (const row of rows.iterate()) yield outlineOf(row);
  }

  async find(eventIds: readonly string[]): Promise<ReadonlyMap<string, InspectedEvent>> {
    const find = this.#database.prepare<[Buffer], EventRow>(`SELECT ${OUTLINE}, ${TEXTS} ${FROM} WHERE e.event_id = ?`);
    const found = new Map<string, InspectedEvent>();
    for (const eventId of eventIds) {
      const row = find.get(idBytes(eventId));
      if (row !== undefined) found.set(eventId, eventOf(row));
    }
    return found;
  }

  /** Events and counts are written in one transaction. */
  uncounted(): Promise<number> {
    return Promise.resolve(0);
  }

  async *agents(): AsyncGenerator<InspectedAgent> {
    yield* this.#database
      .prepare<[], InspectedAgent>(
        `SELECT a.id AS agentId, c.id AS accountId, a.last_sequence AS lastSequence, a.checks
         FROM agents a LEFT JOIN accounts c ON c.n = a.account_n`,
      )
      .iterate();
  }

  async *hourCounts(): AsyncGenerator<HourCount> {
    const rows = this.#database.prepare<[], ClassColumns & Omit<HourCount, 'class'>>(
      `SELECT iif(h.agent_n = 0, 'account', 'agent') AS "of", h.hour, h.count, ${CLASS},
         coalesce(iif(h.agent_n = 0, c.id, a.id), '') AS id
       FROM hours h LEFT JOIN agents a ON a.n = h.agent_n LEFT JOIN accounts c ON c.n = h.account_n
       LEFT JOIN classes k ON k.n = h.class_n`,
    );
    for (const { of, id, hour, count, ...kind } of rows.iterate()) yield { of, id, hour, count, class: classOf(kind) };
  }

  async *blockedCounts(): AsyncGenerator<BlockedCount> {
    const rows = this.#database.prepare<[], { accountId: string; count: number; after: number }>(
      'SELECT id AS accountId, open_count AS count, acknowledged_n AS after FROM accounts',
    );
    for (const { after, ...row } of rows.iterate()) yield { ...row, after: { partition: 0, offset: after } };
  }

  async *windowIds(): AsyncGenerator<string> {
    yield* this.#database.prepare<[], string>('SELECT id FROM windows').pluck().iterate();
  }

  async windows(ids: readonly string[]): Promise<ReadonlyMap<string, Omit<AnchoredWindow, 'agents'>>> {
    const find = this.#database.prepare<[string], Omit<AnchoredWindow, 'agents'>>(
      `SELECT id AS windowId, window_start AS windowStart, window_end AS windowEnd, merkle_root AS merkleRoot,
         tx_signature AS txSignature, block_height AS blockHeight, anchored_at AS anchoredAt FROM windows WHERE id = ?`,
    );
    return new Map(ids.flatMap((id) => (find.get(id) === undefined ? [] : [[id, find.get(id)!] as const])));
  }

  async agentWindows(runs: readonly AgentRun[]): ReturnType<ArchiveInspection['agentWindows']> {
    const find = this.#database.prepare<[string, number], { lastSequence: number; windowId: string | null }>(
      `SELECT p.last_sequence AS lastSequence, w.id AS windowId FROM agent_windows p JOIN agents a ON a.n = p.agent_n
       LEFT JOIN windows w ON w.n = p.window_n WHERE a.id = ? AND p.first_sequence = ?`,
    );
    return runs.map(({ agentId, firstSequence }) => find.get(agentId, firstSequence) ?? null);
  }

  async countAgentWindows(): Promise<number> {
    return this.#database.prepare<[], number>('SELECT count(*) FROM agent_windows').pluck().get() ?? 0;
  }

  async *problems(): AsyncGenerator<Problem> {
    yield* rowProblems(this.#database, QUESTIONS);
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  *#rows<R extends OutlineRow>(columns: string, from: number, to: number): Generator<R> {
    const page = this.#database.prepare<[number, number, number], R>(
      `SELECT ${columns} ${FROM} WHERE e.n >= ? AND e.n < ? ORDER BY e.n LIMIT ?`,
    );
    for (let next = from; ;) {
      const rows = page.all(next, to, PAGE);
      yield* rows;
      if (rows.length < PAGE) return;
      next = rows.at(-1)!.n + 1;
    }
  }
}

const ALL = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };

function classOf({ type, outcome, allowed, violationType }: ClassColumns): EventClass | null {
  return type === null ? null : { type, outcome, allowed: allowed === null ? null : allowed === 1, violationType };
}

function outlineOf(row: OutlineRow): EventOutline {
  return {
    at: { partition: 0, offset: row.n },
    eventId: idText(row.eventId),
    agentId: row.agentId,
    accountId: row.accountId,
    sequence: row.sequence,
    occurredAtMs: row.occurredAt,
    class: classOf(row),
    blocked: row.blocked === 1,
    erased: row.erased !== 0,
    refersTo: row.refersTo === null ? null : idText(row.refersTo),
    trace: row.trace?.toString('hex') ?? null,
    rule: row.rule,
    hasOpenings: row.hasOpenings === 1,
  };
}

function eventOf(row: EventRow): InspectedEvent {
  return Object.assign(outlineOf(row), { leaf: row.leaf, facts: row.facts, openings: row.openings });
}

const QUESTIONS: readonly RowQuestion[] = [
  [
    'accounts',
    `SELECT id FROM accounts WHERE acknowledged_n > (SELECT coalesce(max(n), 0) FROM events)
       OR (acknowledged_at IS NULL AND acknowledged_n <> 0)
       OR acknowledged_at NOT GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9].[0-9][0-9][0-9]Z'`,
    'the acknowledgement is beyond its events, or has no time',
  ],
  [
    'agents',
    `SELECT a.id FROM agents a
     WHERE a.account_n IS NOT (SELECT e.account_n FROM events e WHERE e.agent_n = a.n LIMIT 1)`,
    'its account is not the one of its events',
  ],
  [
    'agents',
    'SELECT id FROM agents WHERE published_sequence > last_sequence OR published_sequence < 0',
    'a head beyond its last sequence was published',
  ],
  [
    'hours',
    `SELECT h.agent_n, h.hour FROM hours h
     WHERE h.agent_n <> 0 AND h.account_n IS NOT (SELECT a.account_n FROM agents a WHERE a.n = h.agent_n)`,
    'its account is not the one of its agent',
  ],
  ['openings', 'SELECT o.n FROM openings o LEFT JOIN events e ON e.n = o.n WHERE e.n IS NULL', 'it opens no event'],
  [
    'events',
    `SELECT e.n FROM events r JOIN classes k ON k.n = r.class_n JOIN events e ON e.event_id = r.refers_to
     WHERE k.type = 'content.erased' AND e.agent_n = r.agent_n AND e.n < r.n AND e.erased <> 1`,
    'an order erased its content, and it is not marked as erased by an order',
  ],
  ['events', 'SELECT n FROM events WHERE erased NOT IN (0, 1, 2) OR blocked NOT IN (0, 1)', 'a mark of it is unknown'],
  [
    'classes',
    `SELECT min(n) FROM classes GROUP BY type, outcome, allowed, violation_type HAVING count(*) > 1`,
    'two numbers stand for one class',
  ],
  [
    'agents',
    `SELECT a.id FROM agents a WHERE a.retained_sequence <> coalesce((SELECT max(t.sequence) FROM events r
       JOIN classes k ON k.n = r.class_n JOIN events t ON t.event_id = r.refers_to
       WHERE r.agent_n = a.n AND k.type = 'retention.applied' AND t.agent_n = r.agent_n AND t.n < r.n), 0)`,
    'retention did not take its content up to the sequence that it names',
  ],
];
