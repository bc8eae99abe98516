import type { ErasedContent } from '@countersign/contracts';
import type { SqliteDatabase } from '@countersign/document-store';
import type { AgentOfAccount, KeptContent, OrderState } from './port.js';
import { idBytes, idText } from './sqlite-numbers.js';

/** A leaf that takes content away: its row, its agent's row, and the event that it names. */
export interface Taking {
  readonly n: number;
  readonly agentN: number;
  readonly refersTo: string;
}

/** By the number of their class: checks and their outcomes. */
const OF_CHECKS = `class_n IN (SELECT n FROM classes WHERE type LIKE 'action.%')`;
/** In a canonical leaf: it commits content, whether that is kept or not. */
const COMMITS = ['action', 'payload', 'context'].map((kind) => `instr(leaf, '"${kind}":"') > 0`).join(' OR ');

interface ErasedRow {
  readonly eventId: Buffer;
  readonly agentId: string;
  readonly sequence: number;
}

interface KeptRow {
  readonly eventId: Buffer;
  readonly sequence: number;
  readonly occurredAtMs: number;
  readonly anchoredAt: string | null;
}

/** Content that is taken away, and what is kept of that. `erase` and `retain` run inside the caller's transaction. */
export class SqliteErasures {
  readonly #database: SqliteDatabase;
  readonly #markErased;
  readonly #dropOpening;
  readonly #markPending;
  readonly #find;
  readonly #markRetained;
  readonly #dropRetained;
  readonly #moveRetained;
  /** Content was taken and may still stand in the write-ahead log. */
  #unscrubbed = true;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    // What is deleted is overwritten with zeros in its page.
    database.pragma('secure_delete = ON');
    this.#markErased = database
      .prepare<[Buffer, number, number], number>(
        'UPDATE events SET erased = 1, trace = NULL WHERE event_id = ? AND agent_n = ? AND n < ? RETURNING n',
      )
      .pluck();
    this.#dropOpening = database.prepare<[number]>('DELETE FROM openings WHERE n = ?');
    this.#markPending = database.prepare<[number]>('INSERT OR IGNORE INTO untold_erasures (n) VALUES (?)');
    this.#find = database
      .prepare<[Buffer, number, number], number>(
        'SELECT sequence FROM events WHERE event_id = ? AND agent_n = ? AND n < ?',
      )
      .pluck();
    const retained = `agent_n = @agentN AND sequence > (SELECT retained_sequence FROM agents WHERE n = @agentN)
      AND sequence <= @sequence AND ${OF_CHECKS}`;
    this.#markRetained = database.prepare<{ agentN: number; sequence: number }>(
      `UPDATE events INDEXED BY events_by_sequence SET erased = 2, trace = NULL
       WHERE ${retained} AND erased = 0 AND (${COMMITS})`,
    );
    this.#dropRetained = database.prepare<{ agentN: number; sequence: number }>(
      `DELETE FROM openings WHERE n IN (SELECT n FROM events INDEXED BY events_by_sequence WHERE ${retained})`,
    );
    this.#moveRetained = database.prepare<{ agentN: number; sequence: number }>(
      'UPDATE agents SET retained_sequence = max(retained_sequence, @sequence) WHERE n = @agentN',
    );
  }

  erase({ n, agentN, refersTo }: Taking): void {
    const erased = this.#markErased.get(idBytes(refersTo), agentN, n);
    if (erased === undefined) return;
    this.#dropOpening.run(erased);
    this.#markPending.run(erased);
    this.#unscrubbed = true;
  }

  retain({ n, agentN, refersTo }: Taking): void {
    const sequence = this.#find.get(idBytes(refersTo), agentN, n);
    if (sequence === undefined) return;
    this.#markRetained.run({ agentN, sequence });
    this.#dropRetained.run({ agentN, sequence });
    this.#moveRetained.run({ agentN, sequence });
    this.#unscrubbed = true;
  }

  /**
   * Moves the write-ahead log into the file and empties it where it may hold what was taken; outside of a transaction.
   * Where another process reads the file just then it is left for the next call: nothing waits for a reader.
   */
  scrub(): void {
    if (!this.#unscrubbed) return;
    this.#database.pragma('busy_timeout = 0');
    try {
      const [result] = this.#database.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: number }[];
      this.#unscrubbed = result?.busy !== 0;
    } finally {
      this.#database.pragma('busy_timeout = 5000');
    }
  }

  orderState(eventId: string): OrderState {
    const acknowledged = this.#database
      .prepare<[Buffer], number>(
        'SELECT n NOT IN (SELECT n FROM untold_erasures) FROM events WHERE event_id = ? AND erased = 1',
      )
      .pluck()
      .get(idBytes(eventId));
    return acknowledged === undefined ? 'none' : acknowledged === 1 ? 'acknowledged' : 'pending';
  }

  pending(limit: number): readonly ErasedContent[] {
    return this.#database
      .prepare<[number], ErasedRow>(
        `SELECT e.event_id AS eventId, a.id AS agentId, e.sequence FROM untold_erasures u
         JOIN events e ON e.n = u.n JOIN agents a ON a.n = e.agent_n ORDER BY u.n LIMIT ?`,
      )
      .all(limit)
      .map(({ eventId, ...row }) => ({ eventId: idText(eventId), ...row }));
  }

  acknowledge(eventIds: readonly string[]): void {
    const mark = this.#database.prepare<[Buffer]>(
      'DELETE FROM untold_erasures WHERE n = (SELECT n FROM events WHERE event_id = ?)',
    );
    for (const eventId of eventIds) mark.run(idBytes(eventId));
  }

  among(agentId: string, first: number, last: number): readonly number[] {
    return this.#database
      .prepare<[string, number, number], number>(
        `SELECT sequence FROM events INDEXED BY events_erased WHERE erased = 1
         AND agent_n = (SELECT n FROM agents WHERE id = ?) AND sequence BETWEEN ? AND ? ORDER BY sequence`,
      )
      .pluck()
      .all(agentId, first, last);
  }

  agentsAfter(afterId: string, limit: number): readonly AgentOfAccount[] {
    return this.#database
      .prepare<[string, number], AgentOfAccount>(
        `SELECT a.id AS agentId, c.id AS accountId FROM agents a JOIN accounts c ON c.n = a.account_n
         WHERE a.id > ? ORDER BY a.id LIMIT ?`,
      )
      .all(afterId, limit);
  }

  kept(agentId: string, limit: number): readonly KeptContent[] {
    return this.#database
      .prepare<[string, number], KeptRow>(
        `SELECT e.event_id AS eventId, e.sequence, e.occurred_at AS occurredAtMs, (
           SELECT iif(p.last_sequence >= e.sequence, w.anchored_at, NULL)
           FROM agent_windows p JOIN windows w ON w.n = p.window_n
           WHERE p.agent_n = e.agent_n AND p.first_sequence <= e.sequence ORDER BY p.first_sequence DESC LIMIT 1
         ) AS anchoredAt
         FROM agents a JOIN events e INDEXED BY events_by_sequence
           ON e.agent_n = a.n AND e.sequence > a.retained_sequence AND e.${OF_CHECKS}
         JOIN openings o ON o.n = e.n WHERE a.id = ? ORDER BY e.sequence LIMIT ?`,
      )
      .all(agentId, limit)
      .map(({ eventId, sequence, occurredAtMs, anchoredAt }) => ({
        eventId: idText(eventId),
        sequence,
        occurredAtMs,
        anchoredAtMs: anchoredAt === null ? null : Date.parse(anchoredAt),
      }));
  }

  state(): { readonly turn: number; readonly body: string } | null {
    const row = this.#database.prepare<[], { turn: number; body: string }>('SELECT turn, body FROM retention').get();
    return row ?? null;
  }

  saveState(turn: number, body: string): boolean {
    const save = this.#database.prepare<[number, string, number]>(
      `INSERT INTO retention (one, turn, body) VALUES (1, ?, ?)
       ON CONFLICT (one) DO UPDATE SET turn = excluded.turn, body = excluded.body WHERE turn = ?`,
    );
    return save.run(turn, body, turn - 1).changes > 0;
  }
}
