import Database from 'better-sqlite3';
import type { AnchorFacts } from '@countersign/contracts';
import type { StoredLog } from '@countersign/event-log';
import { readVersionedRecord } from '@countersign/topics';
import { LAYOUT } from './layout.js';
import type { Store } from './open-stores.js';
import { Reached } from './places.js';
import type { Check } from './report.js';

type WindowFacts = Extract<AnchorFacts, { kind: 'window' }>;
type CutFacts = Extract<AnchorFacts, { kind: 'cut' }>;

interface StoredWindow {
  readonly n: number;
  readonly cadence: number;
  readonly start: number;
  readonly end: number;
  readonly offsets: string;
  readonly carried: string;
  readonly root: string | null;
  readonly prev: string | null;
  readonly agents: number | null;
  readonly events: number | null;
  readonly signature: string | null;
  readonly slot: number | null;
  readonly height: number | null;
  readonly anchoredAt: string | null;
  readonly network: string | null;
  readonly authority: string | null;
}

const WINDOW = `SELECT n, cadence, start_ms AS start, end_ms AS end, offsets, carried, root, prev, agent_count AS agents,
  event_count AS events, signature, slot, block_height AS height, anchored_at AS anchoredAt, network, authority FROM windows`;

/** Cuts and windows as the topic `anchors` tells them against anchoring's store, and audit-log's copy against both. */
export function checkAnchorRecords(log: StoredLog, anchors: Store, archive: Store | null, check: Check): void {
  const windowById = anchors.prepare<[string], StoredWindow>(`${WINDOW} WHERE id = ?`);
  const agentsOf = anchors.prepare<[number, number, number], unknown[]>(
    `SELECT a.id, lower(hex(a.key)), p.last_sequence - p.first_sequence + 1, p.first_sequence, p.last_sequence,
       lower(hex(p.root)), p.leaf_index FROM window_agents p JOIN agents a ON a.n = p.agent_n
     WHERE p.window_n = ? AND p.leaf_index >= ? ORDER BY p.leaf_index LIMIT ?`,
  );
  const kept = archive === null ? null : keptWindows(archive);
  const told = new Told();
  for (const record of log.records('anchors')) {
    const { value } = readVersionedRecord<AnchorFacts>(record);
    if (value?.kind !== 'cut' && value?.kind !== 'window') continue;
    check.examined += 1;
    told.add(record.key);
    const place = `anchors offset ${record.offset} (${record.key})`;
    const id = value.kind === 'cut' ? `${value.cadenceSeconds}-${value.number}` : value.windowId;
    const window = windowById.get(id);
    if (window === undefined) check.wrong(place, `${LAYOUT.anchors} has no window ${id}`);
    else if (value.kind === 'cut') compareCut(value, window, (problem) => check.wrong(place, problem));
    else {
      const agents = agentsOf.raw().all(window.n, value.agents[0]?.leafIndex ?? 0, value.agents.length);
      compareWindow(value, window, agents, (problem) => check.wrong(place, problem));
      kept?.compare(
        value,
        record.offset,
        (problem) => check.wrong(place, problem),
        () => (check.behind += 1),
      );
    }
  }
  const published = anchors.prepare<[], { key: string }>(
    `SELECT 'cut:' || cadence || ':' || number AS key FROM windows WHERE cut_published = 1
     UNION ALL SELECT 'window:' || id || ':0' FROM windows WHERE published = 1`,
  );
  for (const { key } of published.iterate()) {
    if (!told.has(key))
      check.wrong(`${LAYOUT.anchors} windows`, `${key} was published and is not in the topic anchors`);
  }
  kept?.finish((windowId) => told.has(`window:${windowId}:0`), check);
  told.close();
}

function compareCut(cut: CutFacts, window: StoredWindow, wrong: (problem: string) => void): void {
  compare(
    [
      ['cadence', cut.cadenceSeconds, window.cadence],
      ['start', Date.parse(cut.windowStart), window.start],
      ['end', Date.parse(cut.windowEnd), window.end],
      ['offsets', JSON.stringify(cut.offsets), window.offsets],
      ['carried agents', JSON.stringify(cut.carried), window.carried],
    ],
    wrong,
  );
}

function compareWindow(
  facts: WindowFacts,
  window: StoredWindow,
  agents: readonly (readonly unknown[])[],
  wrong: (problem: string) => void,
): void {
  const told = facts.agents.map((agent) => [
    agent.agentId,
    agent.agentKey,
    agent.count,
    agent.firstSequence,
    agent.lastSequence,
    agent.agentRoot,
    agent.leafIndex,
  ]);
  compare(
    [
      ['cadence', facts.cadenceSeconds, window.cadence],
      ['start', Date.parse(facts.windowStart), window.start],
      ['end', Date.parse(facts.windowEnd), window.end],
      ['root', facts.merkleRoot, window.root],
      ['prev', facts.prev, window.prev ?? '0'],
      ['number of agents', facts.agentCount, window.agents],
      ['number of events', facts.eventCount, window.events],
      ['transaction', facts.txSignature, window.signature],
      ['slot', facts.slot, window.slot],
      ['block height', facts.blockHeight, window.height],
      ['time', facts.anchoredAt, window.anchoredAt],
      ['network', facts.network, window.network],
      ['authority', facts.authority, window.authority],
      ['agents', JSON.stringify(told), JSON.stringify(agents)],
    ],
    wrong,
  );
}

function compare(
  fields: readonly (readonly [name: string, told: unknown, stored: unknown])[],
  wrong: (problem: string) => void,
): void {
  for (const [name, told, stored] of fields) {
    if (told !== stored) wrong(`its ${name} is not the one of ${LAYOUT.anchors}`);
  }
}

interface KeptWindows {
  compare(facts: WindowFacts, offset: number, wrong: (problem: string) => void, behind: () => void): void;
  /** Names what the archive has beside the windows that were told. */
  finish(isTold: (windowId: string) => boolean, check: Check): void;
}

function keptWindows(archive: Store): KeptWindows {
  const position = Reached.in(archive, 'anchors');
  const byId = archive.prepare<[string], { n: number; text: string }>(
    `SELECT n, json_array(window_start, window_end, merkle_root, tx_signature, block_height, anchored_at) AS text
     FROM windows WHERE id = ?`,
  );
  const run = archive
    .prepare<[string, number], string>(
      `SELECT json_array(p.last_sequence, p.window_n) FROM agent_windows p JOIN agents a ON a.n = p.agent_n
       WHERE a.id = ? AND p.first_sequence = ?`,
    )
    .pluck();
  let places = 0;
  return {
    compare(facts, offset, wrong, behind) {
      const window = byId.get(facts.windowId);
      if (window === undefined) return position.has(offset) ? wrong(`${LAYOUT.archive} does not have it`) : behind();
      const { windowStart, windowEnd, merkleRoot, txSignature, blockHeight, anchoredAt } = facts;
      const text = JSON.stringify([windowStart, windowEnd, merkleRoot, txSignature, blockHeight, anchoredAt]);
      if (window.text !== text) wrong(`${LAYOUT.archive} windows has it otherwise`);
      for (const { agentId, firstSequence, lastSequence } of facts.agents) {
        places += 1;
        if (run.get(agentId, firstSequence) !== JSON.stringify([lastSequence, window.n])) {
          wrong(`${LAYOUT.archive} agent_windows has agent ${agentId} from ${firstSequence} otherwise`);
        }
      }
    },
    finish(isTold, check) {
      for (const id of archive.prepare<[], string>('SELECT id FROM windows').pluck().iterate()) {
        if (!isTold(id)) check.wrong(`${LAYOUT.archive} windows ${id}`, 'the topic anchors does not tell it');
      }
      const stored = archive.prepare<[], number>('SELECT count(*) FROM agent_windows').pluck().get() ?? 0;
      if (stored > places)
        check.wrong(`${LAYOUT.archive} agent_windows`, `${stored} are kept, the topic anchors tells ${places}`);
    },
  };
}

/** Keys of a topic, in a temporary file. */
class Told {
  readonly #keys = new Database('');
  readonly #add;
  readonly #find;

  constructor() {
    this.#keys.pragma('journal_mode = OFF');
    this.#keys.exec('CREATE TABLE told (key TEXT PRIMARY KEY) WITHOUT ROWID; BEGIN');
    this.#add = this.#keys.prepare<[string]>('INSERT OR IGNORE INTO told VALUES (?)');
    this.#find = this.#keys.prepare<[string], number>('SELECT 1 FROM told WHERE key = ?').pluck();
  }

  add(key: string): void {
    this.#add.run(key);
  }

  has(key: string): boolean {
    return this.#find.get(key) !== undefined;
  }

  close(): void {
    this.#keys.close();
  }
}
