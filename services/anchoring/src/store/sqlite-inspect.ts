import type { TopicName } from '@countersign/contracts';
import type { Offsets } from '@countersign/event-log';
import { openForInspection, rowProblems } from '@countersign/document-store';
import type { Problem, SqliteDatabase } from '@countersign/document-store';
import { arrivalCheck } from '../domain/arrival-check.js';
import type {
  AnchorInspection,
  InspectedAgent,
  InspectedAnchor,
  InspectedArrival,
  InspectedReport,
  InspectedRun,
  InspectedSegment,
  InspectedWindow,
} from './inspection.js';
import type { WindowAgentRow } from './port.js';
import { MIGRATIONS } from './schema.js';
import { QUESTIONS } from './sqlite-questions.js';

type Flags = 'isSubmitted' | 'isPublished';
type WindowTexts = 'from' | 'offsets' | 'carried' | 'isCutPublished' | 'isClosed';

interface AnchorRow extends Omit<InspectedAnchor, Flags> {
  readonly isSubmitted: number;
  readonly isPublished: number;
}

interface WindowRow extends Omit<InspectedWindow, Flags | WindowTexts>, AnchorRow {
  readonly from: string;
  readonly offsets: string;
  readonly carried: string;
  readonly isCutPublished: number;
  readonly isClosed: number;
}

interface ReportRow extends Omit<InspectedReport, Flags>, AnchorRow {}

interface ArrivalRow extends Omit<InspectedArrival, 'isIntact'> {
  readonly checkSum: number;
}

const HASH_BYTES = 32;
const ANCHOR = `t.signature, t.slot, t.block_height AS blockHeight, t.anchored_at AS anchoredAt, t.network, t.authority,
  s.memo, coalesce(s.done, 0) AS isSubmitted, t.published AS isPublished`;
const WINDOW = `SELECT t.n, t.id AS windowId, t.cadence AS cadenceSeconds, t.number, t.start_ms AS startMs, t.end_ms AS endMs,
  t.from_offsets AS "from", t.offsets, t.carried, t.cut_published AS isCutPublished, t.state = 'closed' AS isClosed, t.root,
  t.prev, t.agent_count AS agentCount, t.event_count AS eventCount, t.tile_roots AS tileRoots, ${ANCHOR}
  FROM windows t LEFT JOIN submissions s ON s.id = 'window:' || t.id`;
const RUN = `p.leaf_index AS leafIndex, p.agent_n AS agentN, p.first_sequence AS firstSequence,
  p.last_sequence AS lastSequence, p.root FROM window_agents p`;

/** {@link AnchorInspection} of a file. */
export class SqliteInspection implements AnchorInspection {
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

  async *agents(): AsyncGenerator<InspectedAgent> {
    yield* this.#database
      .prepare<[], InspectedAgent>('SELECT n, id AS agentId, key, last_sequence AS lastSequence FROM agents')
      .iterate();
  }

  async *arrivals(): AsyncGenerator<InspectedArrival> {
    const rows = this.#database.prepare<[], ArrivalRow>(
      `SELECT cadence, partition, offset, agent_n AS agentN, sequence, hash, check_sum AS checkSum FROM arrivals
       ORDER BY partition, offset, cadence`,
    );
    for (const { checkSum, ...row } of rows.iterate()) {
      const { cadence, partition, offset, agentN, sequence, hash } = row;
      const isIntact =
        hash.length === HASH_BYTES && arrivalCheck(cadence, partition, offset, agentN, sequence, hash) === checkSum;
      yield { ...row, isIntact };
    }
  }

  async *windows(): AsyncGenerator<InspectedWindow> {
    const rows = this.#database.prepare<[], WindowRow>(`${WINDOW} ORDER BY t.cadence, t.number`);
    for (const row of rows.iterate()) yield windowOf(row);
  }

  async window(windowId: string): Promise<InspectedWindow | null> {
    const row = this.#database.prepare<[string], WindowRow>(`${WINDOW} WHERE t.id = ?`).get(windowId);
    return row === undefined ? null : windowOf(row);
  }

  async *segments(): AsyncGenerator<InspectedSegment> {
    yield* this.#database
      .prepare<[], InspectedSegment>(
        `SELECT agent_n AS agentN, first_sequence AS firstSequence, hashes FROM segments
         ORDER BY agent_n, first_sequence`,
      )
      .iterate();
  }

  async *runs(): AsyncGenerator<InspectedRun> {
    yield* this.#database
      .prepare<[], InspectedRun>(
        `SELECT w.id AS windowId, ${RUN} LEFT JOIN windows w ON w.n = p.window_n ORDER BY p.agent_n, p.first_sequence`,
      )
      .iterate();
  }

  async *windowAgents(windowId: string, fromIndex = 0, limit = -1): AsyncGenerator<WindowAgentRow> {
    yield* this.#database
      .prepare<[string, number, number], WindowAgentRow>(
        `SELECT ${RUN} WHERE p.window_n = (SELECT n FROM windows WHERE id = ?) AND p.leaf_index >= ?
         ORDER BY p.leaf_index LIMIT ?`,
      )
      .iterate(windowId, fromIndex, limit);
  }

  async *windowLeaves(windowId: string): AsyncGenerator<Uint8Array> {
    yield* this.#database
      .prepare<[string], Buffer>(
        'SELECT hashes FROM window_leaves WHERE window_n = (SELECT n FROM windows WHERE id = ?) ORDER BY first_index',
      )
      .pluck()
      .iterate(windowId);
  }

  async *reports(): AsyncGenerator<InspectedReport> {
    const rows = this.#database.prepare<[], ReportRow>(
      `SELECT t.report_id AS reportId, t.content_hash AS contentHash, ${ANCHOR}
       FROM reports t LEFT JOIN submissions s ON s.id = 'report:' || t.report_id ORDER BY t.report_id`,
    );
    for (const row of rows.iterate()) yield { ...row, ...flagsOf(row) };
  }

  async *seenIds(): AsyncGenerator<Uint8Array> {
    yield* this.#database.prepare<[], Buffer>('SELECT event_id FROM seen ORDER BY event_id').pluck().iterate();
  }

  async *problems(): AsyncGenerator<Problem> {
    yield* rowProblems(this.#database, QUESTIONS);
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}

function flagsOf({ isSubmitted, isPublished }: AnchorRow): Pick<InspectedAnchor, Flags> {
  return { isSubmitted: isSubmitted === 1, isPublished: isPublished === 1 };
}

function windowOf(row: WindowRow): InspectedWindow {
  return {
    ...row,
    ...flagsOf(row),
    from: parsed<Offsets>(row.from) ?? {},
    offsets: parsed<Offsets>(row.offsets) ?? {},
    carried: parsed<string[]>(row.carried) ?? [],
    isCutPublished: row.isCutPublished === 1,
    isClosed: row.isClosed === 1,
  };
}

/** `null` where it is not JSON, which `problems` names. */
function parsed<T>(text: string): T | null {
  try {
    return JSON.parse(text) as T | null;
  } catch {
    return null;
  }
}
