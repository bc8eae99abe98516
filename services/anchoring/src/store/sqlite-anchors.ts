import type { PreparedTransaction } from '@countersign/chain';
import type { SqliteDatabase } from '@countersign/document-store';
import type {
  AnchoredPlace,
  AnchoredReport,
  AnchoredWindow,
  AnchorStore,
  ClosedWindow,
  Landed,
  Submission,
} from './port.js';

type AnchorMethods =
  | 'openSubmissions'
  | 'saveSubmission'
  | 'saveAnchored'
  | 'unpublishedWindows'
  | 'markChunkPublished'
  | 'unpublishedReports'
  | 'markReportsPublished'
  | 'windowAt'
  | 'labelsBetween'
  | 'places'
  | 'waiting';

interface SubmissionRow {
  readonly id: string;
  readonly memo: string;
  readonly attempts: string;
  readonly landed: string | null;
}

const ANCHORED = `w.id AS windowId, w.cadence AS cadenceSeconds, w.start_ms AS startMs, w.end_ms AS endMs,
  w.root AS merkleRoot, w.prev, w.agent_count AS agentCount, w.event_count AS eventCount, w.signature, w.slot,
  w.block_height AS blockHeight, w.anchored_at AS anchoredAt, w.network, w.authority`;

interface PlaceRow extends AnchoredWindow {
  readonly agentKey: Buffer;
  readonly leafIndex: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly agentRoot: Buffer;
}

/** Submissions to the chain, their transactions, and which of them are published. */
export function sqliteAnchors(database: SqliteDatabase): Pick<AnchorStore, AnchorMethods> {
  return {
    async openSubmissions(limit) {
      return database
        .prepare<[number], SubmissionRow>(
          'SELECT id, memo, attempts, landed FROM submissions WHERE done = 0 ORDER BY n LIMIT ?',
        )
        .all(limit)
        .map(({ id, memo, attempts, landed }) => ({
          id,
          memo,
          attempts: JSON.parse(attempts) as PreparedTransaction[],
          landed: landed === null ? null : (JSON.parse(landed) as Submission['landed']),
        }));
    },

    async saveSubmission({ id, attempts, landed }) {
      database
        .prepare<[string, string | null, string]>('UPDATE submissions SET attempts = ?, landed = ? WHERE id = ?')
        .run(JSON.stringify(attempts), landed === null ? null : JSON.stringify(landed), id);
    },

    async saveAnchored(id: string, { signature, slot, blockHeight, anchoredAt, network, authority }: Landed) {
      const [kind, rest] = [id.slice(0, id.indexOf(':')), id.slice(id.indexOf(':') + 1)];
      const [table, key] = kind === 'window' ? ['windows', 'id'] : ['reports', 'report_id'];
      database.transaction(() => {
        database
          .prepare<(string | number)[]>(
            `UPDATE ${table} SET signature = ?, slot = ?, block_height = ?, anchored_at = ?, network = ?, authority = ? WHERE ${key} = ?`,
          )
          .run(signature, slot, blockHeight, anchoredAt, network, authority, rest);
        database.prepare<[string]>('UPDATE submissions SET done = 1 WHERE id = ?').run(id);
      })();
    },

    async unpublishedWindows(limit) {
      return database
        .prepare<[number], AnchoredWindow & { fromChunk: number }>(
          `SELECT ${ANCHORED}, w.published_chunks AS fromChunk FROM windows w
           WHERE w.signature IS NOT NULL AND w.published = 0 ORDER BY w.n LIMIT ?`,
        )
        .all(limit)
        .map(({ fromChunk, ...window }) => ({ window, fromChunk }));
    },

    async markChunkPublished(windowId, chunk, last) {
      database
        .prepare<[number, number, string]>('UPDATE windows SET published_chunks = ?, published = ? WHERE id = ?')
        .run(chunk + 1, last ? 1 : 0, windowId);
    },

    async unpublishedReports(limit) {
      return database
        .prepare<[number], AnchoredReport>(
          `SELECT report_id AS reportId, content_hash AS contentHash, signature, slot, block_height AS blockHeight,
           anchored_at AS anchoredAt, network, authority FROM reports WHERE signature IS NOT NULL AND published = 0 LIMIT ?`,
        )
        .all(limit);
    },

    async markReportsPublished(reportIds) {
      const mark = database.prepare<[string]>('UPDATE reports SET published = 1 WHERE report_id = ?');
      database.transaction(() => {
        for (const id of reportIds) mark.run(id);
      })();
    },

    async windowAt(cadenceSeconds, startMs) {
      const row = database
        .prepare<[number, number], ClosedWindow & { [K in keyof Landed]: Landed[K] | null }>(
          `SELECT ${ANCHORED} FROM windows w WHERE w.cadence = ? AND w.start_ms = ? AND w.state = 'closed'`,
        )
        .get(cadenceSeconds, startMs);
      if (row === undefined) return null;
      const { signature, slot, blockHeight, anchoredAt, network, authority, ...closed } = row;
      const landed =
        signature === null ? null : ({ signature, slot, blockHeight, anchoredAt, network, authority } as Landed);
      return { closed, landed };
    },

    async labelsBetween(fromMs, toMs, limit) {
      return database
        .prepare<[number, number, number], Pick<ClosedWindow, 'cadenceSeconds' | 'startMs'>>(
          `SELECT cadence AS cadenceSeconds, start_ms AS startMs FROM windows
           WHERE state = 'closed' AND end_ms > ? AND start_ms < ? ORDER BY start_ms, cadence LIMIT ?`,
        )
        .all(fromMs, toMs, limit);
    },

    async places(agentId, first, last): Promise<readonly AnchoredPlace[]> {
      return database
        .prepare<[string, number, number], PlaceRow>(
          `SELECT ${ANCHORED}, a.key AS agentKey, p.leaf_index AS leafIndex, p.first_sequence AS firstSequence,
           p.last_sequence AS lastSequence, p.root AS agentRoot
           FROM agents a JOIN window_agents p ON p.agent_n = a.n JOIN windows w ON w.n = p.window_n
           WHERE a.id = ? AND p.first_sequence >= coalesce((SELECT max(q.first_sequence) FROM window_agents q
             WHERE q.agent_n = a.n AND q.first_sequence <= ?), 0) AND p.first_sequence <= ?
           AND w.signature IS NOT NULL ORDER BY p.first_sequence`,
        )
        .all(agentId, first, last)
        .filter((row) => row.lastSequence >= first)
        .map(({ agentKey, leafIndex, firstSequence, lastSequence, agentRoot, ...window }) => ({
          window,
          agentKey,
          leafIndex,
          firstSequence,
          lastSequence,
          root: agentRoot,
        }));
    },

    async waiting() {
      const windows = database
        .prepare<[], number>('SELECT count(*) FROM windows WHERE signature IS NULL')
        .pluck()
        .get()!;
      const lastAnchoredEndMs = database
        .prepare<[], number>('SELECT end_ms FROM windows WHERE signature IS NOT NULL ORDER BY n DESC LIMIT 1')
        .pluck()
        .get();
      return { windows, lastAnchoredEndMs: lastAnchoredEndMs ?? null };
    },
  };
}
