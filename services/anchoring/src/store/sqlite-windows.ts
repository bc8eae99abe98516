import type { Offsets } from '@countersign/event-log';
import type { SqliteDatabase } from '@countersign/document-store';
import { WindowDamaged, type Segment } from '../domain/agent-fold.js';
import type { CadenceClock } from '../domain/window-label.js';
import type {
  AnchorStore,
  ClosedWindow,
  CutWindow,
  LeafCursor,
  LeafPage,
  StoredWindowAgent,
  WindowAgentRow,
} from './port.js';
import { arrivalCheck } from '../domain/arrival-check.js';

type WindowMethods =
  | 'cadences'
  | 'isCut'
  | 'newestEventMs'
  | 'pendingCut'
  | 'unpublishedCuts'
  | 'markCutsPublished'
  | 'nextToClose'
  | 'readLeaves'
  | 'saveSegments'
  | 'agentKeys'
  | 'saveWindowAgents'
  | 'previousRoot'
  | 'closeWindow'
  | 'sweep'
  | 'closedWindow'
  | 'rootAt'
  | 'windowAgents'
  | 'leafHashes'
  | 'windowLeafHashes'
  | 'windowTileRoots'
  | 'windowTile';

interface CutRow extends Omit<CutWindow, 'from' | 'offsets' | 'carried'> {
  readonly from_offsets: string;
  readonly offsets: string;
  readonly carried: string;
}

interface ArrivalRow {
  readonly partition: number;
  readonly offset: number;
  readonly agentN: number;
  readonly sequence: number;
  readonly hash: Buffer;
  readonly check: number;
}

const CUT = `SELECT id AS windowId, cadence AS cadenceSeconds, number, start_ms AS startMs, end_ms AS endMs,
  from_offsets, offsets, carried FROM windows`;
const HASH_BYTES = 32;

function cutWindow({ from_offsets, offsets, carried, ...rest }: CutRow): CutWindow {
  return {
    ...rest,
    from: JSON.parse(from_offsets) as Offsets,
    offsets: JSON.parse(offsets) as Offsets,
    carried: JSON.parse(carried) as string[],
  };
}

/** Windows from their cut to their closing, and what is kept of them. */
export function sqliteWindows(database: SqliteDatabase): Pick<AnchorStore, WindowMethods> {
  const number = database.prepare<[string], number>('SELECT n FROM windows WHERE id = ?').pluck();
  const numberOf = (windowId: string): number => {
    const n = number.get(windowId);
    if (n === undefined) throw new RangeError(`no window ${windowId}`);
    return n;
  };
  const arrivals = database.prepare<[number, number, number, number, number], ArrivalRow>(
    `SELECT partition, offset, agent_n AS agentN, sequence, hash, check_sum AS "check" FROM arrivals
     WHERE cadence = ? AND partition = ? AND offset >= ? AND offset < ? ORDER BY offset LIMIT ?`,
  );
  const addSegment = database.prepare<[number, number, Uint8Array]>(
    'INSERT OR REPLACE INTO segments (agent_n, first_sequence, hashes) VALUES (?, ?, ?)',
  );
  const keyOf = database.prepare<[number], Buffer>('SELECT key FROM agents WHERE n = ?').pluck();
  const addAgent = database.prepare<[number, number, number, number, number, Uint8Array]>(
    `INSERT INTO window_agents (window_n, leaf_index, agent_n, first_sequence, last_sequence, root) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const addLeaves = database.prepare<[number, number, Uint8Array]>(
    'INSERT INTO window_leaves (window_n, first_index, hashes) VALUES (?, ?, ?)',
  );
  const tileRootsOf = database.prepare<[string], Buffer | null>('SELECT tile_roots FROM windows WHERE id = ?').pluck();
  const tileOf = database
    .prepare<[number, number], Buffer>('SELECT hashes FROM window_leaves WHERE window_n = ? AND first_index = ?')
    .pluck();
  const segmentsFrom = database.prepare<[string, number, number], { first: number; hashes: Buffer }>(
    `SELECT first_sequence AS first, hashes FROM segments WHERE agent_n = (SELECT n FROM agents WHERE id = ?)
     AND first_sequence >= ? AND first_sequence <= ? ORDER BY first_sequence`,
  );
  const segmentAt = database
    .prepare<[string, number], number>(
      `SELECT first_sequence FROM segments WHERE agent_n = (SELECT n FROM agents WHERE id = ?)
       AND first_sequence <= ? ORDER BY first_sequence DESC LIMIT 1`,
    )
    .pluck();

  return {
    async cadences(): Promise<readonly CadenceClock[]> {
      return database
        .prepare<[], CadenceClock>(
          `SELECT cadence AS cadenceSeconds, opened_at AS openedAtMs, last_end AS lastEndMs, open_number - 1 AS cuts
           FROM cadences ORDER BY cadence`,
        )
        .all();
    },

    async isCut(cadenceSeconds, startMs) {
      return (
        database
          .prepare<[number, number]>('SELECT 1 FROM windows WHERE cadence = ? AND start_ms = ?')
          .get(cadenceSeconds, startMs) !== undefined
      );
    },

    async newestEventMs() {
      const newest = database.prepare<[], Buffer | null>('SELECT max(event_id) FROM seen').pluck().get();
      return newest?.readUIntBE(0, 6) ?? null;
    },

    async pendingCut() {
      const offsets = database
        .prepare<[], string>(`SELECT offsets FROM windows WHERE state = 'ending' LIMIT 1`)
        .pluck()
        .get();
      return offsets === undefined ? null : (JSON.parse(offsets) as Offsets);
    },

    async unpublishedCuts(limit) {
      return database
        .prepare<[number], CutRow>(`${CUT} WHERE cut_published = 0 AND state <> 'ending' ORDER BY n LIMIT ?`)
        .all(limit)
        .map(cutWindow);
    },

    async markCutsPublished(windowIds) {
      const mark = database.prepare<[string]>('UPDATE windows SET cut_published = 1 WHERE id = ?');
      database.transaction(() => {
        for (const id of windowIds) mark.run(id);
      })();
    },

    async nextToClose() {
      const row = database
        .prepare<[], CutRow & { state: string }>(
          `${CUT.replace(' FROM', ', state FROM')} WHERE state <> 'closed' AND cut_published = 1 ORDER BY n LIMIT 1`,
        )
        .get();
      if (row === undefined) return null;
      const { state, ...cut } = row;
      const n = numberOf(cut.windowId);
      database.transaction(() => {
        if (state === 'closing') {
          // Segments of the interrupted closing are replaced row by row: the same leaves give the same segments.
          database.prepare<[number]>('DELETE FROM window_agents WHERE window_n = ?').run(n);
          database.prepare<[number]>('DELETE FROM window_leaves WHERE window_n = ?').run(n);
        }
        database.prepare<[number]>(`UPDATE windows SET state = 'closing' WHERE n = ?`).run(n);
      })();
      return cutWindow(cut);
    },

    async readLeaves(window: CutWindow, from: LeafCursor | null, limit: number): Promise<LeafPage> {
      const { cadenceSeconds, offsets } = window;
      const partitions = Object.keys(offsets)
        .map(Number)
        .sort((a, b) => a - b);
      const partition = from?.partition ?? partitions[0];
      if (partition === undefined) return { leaves: [], next: null };
      const start = from?.offset ?? window.from[partition] ?? 0;
      const rows = arrivals.all(cadenceSeconds, partition, start, offsets[partition]!, limit);
      for (const row of rows) {
        const sum = arrivalCheck(cadenceSeconds, partition, row.offset, row.agentN, row.sequence, row.hash);
        if (row.hash.length !== HASH_BYTES || sum !== row.check) {
          throw new WindowDamaged(`the stored leaf at agent-events/${partition}/${row.offset} is not what was taken`);
        }
      }
      const last = rows.at(-1);
      if (rows.length === limit && last !== undefined) {
        return { leaves: rows, next: { partition, offset: last.offset + 1 } };
      }
      const following = partitions[partitions.indexOf(partition) + 1];
      const next = following === undefined ? null : { partition: following, offset: window.from[following] ?? 0 };
      return { leaves: rows, next };
    },

    async saveSegments(_windowId: string, segments: readonly Segment[]) {
      database.transaction(() => {
        for (const { agentN, firstSequence, hashes } of segments) addSegment.run(agentN, firstSequence, hashes);
      })();
    },

    async agentKeys(agents) {
      return agents.map((n) => {
        const key = keyOf.get(n);
        if (key === undefined) throw new WindowDamaged(`agent number ${n} is not stored`);
        return key;
      });
    },

    async saveWindowAgents(windowId: string, agents: readonly WindowAgentRow[], leafHashes: Uint8Array) {
      const n = numberOf(windowId);
      database.transaction(() => {
        for (const { leafIndex, agentN, firstSequence, lastSequence, root } of agents) {
          addAgent.run(n, leafIndex, agentN, firstSequence, lastSequence, root);
        }
        if (agents[0] !== undefined) addLeaves.run(n, agents[0].leafIndex, leafHashes);
      })();
    },

    async previousRoot({ cadenceSeconds }) {
      const root = database
        .prepare<[number], Buffer | null>('SELECT last_root FROM cadences WHERE cadence = ?')
        .pluck()
        .get(cadenceSeconds);
      return root?.toString('hex') ?? null;
    },

    async closeWindow(window: ClosedWindow, memo: string, tileRoots: Uint8Array | null) {
      const { windowId, merkleRoot, prev, agentCount, eventCount } = window;
      database.transaction(() => {
        database
          .prepare<(string | number | Uint8Array | null)[]>(
            `UPDATE windows SET state = 'closed', root = ?, prev = ?, agent_count = ?, event_count = ?, tile_roots = ?
             WHERE id = ?`,
          )
          .run(merkleRoot, prev, agentCount, eventCount, tileRoots, windowId);
        database
          .prepare<[Buffer, number]>('UPDATE cadences SET last_root = ? WHERE cadence = ?')
          .run(Buffer.from(merkleRoot, 'hex'), window.cadenceSeconds);
        database
          .prepare<[string, string]>('INSERT INTO submissions (id, memo) VALUES (?, ?)')
          .run(`window:${windowId}`, memo);
      })();
    },

    async sweep(limit) {
      const window = database
        .prepare<[], { n: number; cadence: number; offsets: string }>(
          `SELECT n, cadence, offsets FROM windows WHERE swept = 0 AND state = 'closed' ORDER BY n LIMIT 1`,
        )
        .get();
      if (window === undefined) return false;
      const drop = database.prepare<[number, number, number, number, number, number]>(
        `DELETE FROM arrivals WHERE cadence = ? AND partition = ? AND offset IN (
           SELECT offset FROM arrivals WHERE cadence = ? AND partition = ? AND offset < ? ORDER BY offset LIMIT ?)`,
      );
      database.transaction(() => {
        let left = limit;
        for (const [partition, end] of Object.entries(JSON.parse(window.offsets) as Offsets)) {
          const place = [window.cadence, Number(partition)] as const;
          if (left > 0) left -= drop.run(...place, ...place, end, left).changes;
        }
        if (left > 0) database.prepare<[number]>('UPDATE windows SET swept = 1 WHERE n = ?').run(window.n);
      })();
      return true;
    },

    async closedWindow(windowId) {
      const row = database
        .prepare<[string], ClosedWindow>(
          `SELECT id AS windowId, cadence AS cadenceSeconds, start_ms AS startMs, end_ms AS endMs, root AS merkleRoot,
           prev, agent_count AS agentCount, event_count AS eventCount FROM windows WHERE id = ? AND state = 'closed'`,
        )
        .get(windowId);
      return row ?? null;
    },

    async rootAt(cadenceSeconds, startMs) {
      const root = database
        .prepare<[number, number], string>(
          `SELECT root FROM windows WHERE cadence = ? AND start_ms = ? AND state = 'closed'`,
        )
        .pluck()
        .get(cadenceSeconds, startMs);
      return root ?? null;
    },

    async windowAgents(windowId, fromIndex, limit): Promise<readonly StoredWindowAgent[]> {
      return database
        .prepare<[number, number, number], StoredWindowAgent>(
          `SELECT w.leaf_index AS leafIndex, w.agent_n AS agentN, w.first_sequence AS firstSequence,
           w.last_sequence AS lastSequence, w.root, a.id AS agentId, a.key AS agentKey
           FROM window_agents w JOIN agents a ON a.n = w.agent_n
           WHERE w.window_n = ? AND w.leaf_index >= ? ORDER BY w.leaf_index LIMIT ?`,
        )
        .all(numberOf(windowId), fromIndex, limit);
    },

    async leafHashes(agentId, first, last) {
      const start = segmentAt.get(agentId, first) ?? first;
      const parts: Buffer[] = [];
      let next = first;
      for (const segment of segmentsFrom.iterate(agentId, start, last)) {
        const skipped = next - segment.first;
        const end = Math.min(segment.first + segment.hashes.length / HASH_BYTES, last + 1);
        if (skipped < 0 || end <= next) break;
        parts.push(segment.hashes.subarray(skipped * HASH_BYTES, (end - segment.first) * HASH_BYTES));
        next = end;
      }
      return new Uint8Array(Buffer.concat(parts));
    },

    async windowLeafHashes(windowId) {
      const rows = database
        .prepare<[number], Buffer>('SELECT hashes FROM window_leaves WHERE window_n = ? ORDER BY first_index')
        .pluck()
        .all(numberOf(windowId));
      return new Uint8Array(Buffer.concat(rows));
    },

    async windowTileRoots(windowId) {
      return tileRootsOf.get(windowId) ?? null;
    },

    async windowTile(windowId, firstIndex) {
      return tileOf.get(numberOf(windowId), firstIndex) ?? new Uint8Array(0);
    },
  };
}
