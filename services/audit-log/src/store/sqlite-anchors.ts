import type { SqliteDatabase } from '@countersign/document-store';
import type { AgentAnchor, AgentState, AnchoredWindow, EventStore, Page, SequenceRun } from './port.js';

const FACTS = `w.window_start AS windowStart, w.window_end AS windowEnd, w.merkle_root AS merkleRoot,
  w.tx_signature AS txSignature, w.block_height AS blockHeight, w.anchored_at AS anchoredAt,
  p.first_sequence AS firstSequence, p.last_sequence AS lastSequence`;

/** Anchored windows, and the sequence range of each agent in them. */
export class SqliteAnchors {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Inside the caller's transaction; what is there already changes nothing. */
  save(windows: readonly AnchoredWindow[]): void {
    const addWindow = this.#database
      .prepare<(string | number)[], number>(
        `INSERT INTO windows (id, window_start, window_end, merkle_root, tx_signature, block_height, anchored_at)
         VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET id = id RETURNING n`,
      )
      .pluck();
    const addAgent = this.#database.prepare<[string]>('INSERT OR IGNORE INTO agents (id) VALUES (?)');
    const place = this.#database.prepare<[string, number, number, number]>(
      `INSERT OR IGNORE INTO agent_windows (agent_n, first_sequence, last_sequence, window_n)
       VALUES ((SELECT n FROM agents WHERE id = ?), ?, ?, ?)`,
    );
    for (const window of windows) {
      const { windowId, windowStart, windowEnd, merkleRoot, txSignature, blockHeight, anchoredAt } = window;
      const n = addWindow.get(windowId, windowStart, windowEnd, merkleRoot, txSignature, blockHeight, anchoredAt)!;
      for (const { agentId, firstSequence, lastSequence } of window.agents) {
        addAgent.run(agentId);
        place.run(agentId, firstSequence, lastSequence, n);
      }
    }
  }

  list(agentId: string, { limit, offset }: Page): { readonly anchors: readonly AgentAnchor[]; readonly total: number } {
    const stored = `FROM agent_windows p JOIN agents a ON a.n = p.agent_n
      WHERE a.id = ? AND p.last_sequence <= a.last_sequence`;
    const total = this.#database.prepare<[string], number>(`SELECT count(*) ${stored}`).pluck().get(agentId)!;
    const anchors = this.#database
      .prepare<[string, number, number], AgentAnchor>(
        `SELECT ${FACTS}
         ${stored.replace('WHERE', 'JOIN windows w ON w.n = p.window_n WHERE')}
         ORDER BY p.first_sequence DESC LIMIT ? OFFSET ?`,
      )
      .all(agentId, limit, offset);
    return { anchors, total };
  }

  of(agentId: string, sequence: number): AgentAnchor | null {
    const found = this.#database
      .prepare<[string, number], AgentAnchor>(
        `SELECT ${FACTS} FROM agent_windows p JOIN windows w ON w.n = p.window_n
         WHERE p.agent_n = (SELECT n FROM agents WHERE id = ?) AND p.first_sequence <= ?
         ORDER BY p.first_sequence DESC LIMIT 1`,
      )
      .get(agentId, sequence);
    return found !== undefined && found.lastSequence >= sequence ? found : null;
  }

  /** Windows that hold any of the leaves `first` to `last`, newest first. */
  holding(agentId: string, first: number, last: number, limit: number): readonly AgentAnchor[] {
    return this.#database
      .prepare<[string, number, number, number], AgentAnchor>(
        `SELECT ${FACTS} FROM agents a JOIN agent_windows p ON p.agent_n = a.n JOIN windows w ON w.n = p.window_n
         WHERE a.id = ? AND p.last_sequence <= a.last_sequence AND p.last_sequence >= ? AND p.first_sequence <= ?
         ORDER BY p.first_sequence DESC LIMIT ?`,
      )
      .all(agentId, first, last, limit);
  }

  /** Windows with this root or transaction, of each of these agents. */
  named(
    ...[by, agentIds, limit]: Parameters<EventStore['windowsNamed']>
  ): readonly (AgentAnchor & { agentId: string })[] {
    const [column, value] = 'merkleRoot' in by ? ['merkle_root', by.merkleRoot] : ['tx_signature', by.txSignature];
    return this.#database
      .prepare<[string, string, number], AgentAnchor & { agentId: string }>(
        `SELECT a.id AS agentId, ${FACTS} FROM windows w JOIN agent_windows p ON p.window_n = w.n JOIN agents a ON a.n = p.agent_n
         WHERE w.${column} = ? AND a.id IN (SELECT value FROM json_each(?)) AND p.last_sequence <= a.last_sequence
         ORDER BY w.n, a.id LIMIT ?`,
      )
      .all(value, JSON.stringify(agentIds), limit);
  }

  states(agentIds: readonly string[]): readonly AgentState[] {
    return this.#database
      .prepare<[string], AgentState>(
        `SELECT a.id AS agentId, a.last_sequence AS lastSequence,
         (SELECT e.occurred_at FROM events e INDEXED BY events_by_agent WHERE e.agent_n = a.n
           ORDER BY e.occurred_at DESC LIMIT 1) AS lastEventMs,
         coalesce((SELECT min(p.last_sequence, a.last_sequence) FROM agent_windows p WHERE p.agent_n = a.n
           AND p.first_sequence <= a.last_sequence ORDER BY p.first_sequence DESC LIMIT 1), 0) AS anchoredThrough
         FROM agents a WHERE a.id IN (SELECT value FROM json_each(?)) AND a.last_sequence > 0`,
      )
      .all(JSON.stringify(agentIds));
  }

  continuity(agentId: string, first: number, last: number): { stored: number; windows: readonly SequenceRun[] } {
    const stored = this.#database
      .prepare<[string, number, number], number>(
        `SELECT count(*) FROM events INDEXED BY events_by_sequence
         WHERE agent_n = (SELECT n FROM agents WHERE id = ?) AND sequence BETWEEN ? AND ?`,
      )
      .pluck()
      .get(agentId, first, last)!;
    const windows = this.#database
      .prepare<[string, number, number], SequenceRun>(
        `SELECT first_sequence AS first, last_sequence AS last FROM agent_windows
         WHERE agent_n = (SELECT n FROM agents WHERE id = ?) AND last_sequence >= ? AND first_sequence <= ?
         ORDER BY first_sequence`,
      )
      .all(agentId, first, last);
    return { stored, windows };
  }
}
