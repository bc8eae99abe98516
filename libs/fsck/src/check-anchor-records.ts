import type { AnchorInspection, InspectedAgent, InspectedWindow } from '@countersign/anchoring';
import type { ArchiveInspection } from '@countersign/audit-log';
import type { AnchorFacts, TopicName } from '@countersign/contracts';
import type { StoredLog } from '@countersign/event-log';
import { toHex } from '@countersign/evidence';
import { readVersionedRecord } from '@countersign/topics';
import { LAYOUT } from './layout.js';
import { Reached } from './places.js';
import { agentsByNumber } from './recompute-trees.js';
import type { Check } from './report.js';
import { ScratchSet } from './scratch.js';

type WindowFacts = Extract<AnchorFacts, { kind: 'window' }>;
type CutFacts = Extract<AnchorFacts, { kind: 'cut' }>;

/** Records that were published after the log was read. */
export interface Newer {
  newerKeys(topic: TopicName): Promise<ReadonlySet<string>>;
}

/** Cuts and windows in the topic `anchors` against anchoring's store, and audit-log's copy against both. */
export async function checkAnchorRecords(
  log: StoredLog,
  newer: Newer,
  anchors: AnchorInspection,
  archive: ArchiveInspection | null,
  check: Check,
): Promise<void> {
  const agents = await agentsByNumber(anchors);
  const kept = archive === null ? null : await ArchivedWindows.of(archive);
  const published = new ScratchSet();
  try {
    for (const record of log.records('anchors')) {
      const { value } = readVersionedRecord<AnchorFacts>(record);
      if (value?.kind !== 'cut' && value?.kind !== 'window') continue;
      check.examined += 1;
      published.add(record.key);
      const place = `anchors offset ${record.offset} (${record.key})`;
      const wrong = (problem: string): void => check.wrong(place, problem);
      const id = value.kind === 'cut' ? `${value.cadenceSeconds}-${value.number}` : value.windowId;
      const window = await anchors.window(id);
      if (window === null) wrong(`${LAYOUT.anchors} has no window ${id}`);
      else if (value.kind === 'cut') compareCut(value, window, wrong);
      else {
        compareWindow(value, window, await agentsIn(anchors, value, agents), wrong);
        await kept?.compare(value, record.offset, place, check);
      }
    }
    const since = await newer.newerKeys('anchors');
    const isPublished = (key: string): boolean => published.has(key) || since.has(key);
    for await (const window of anchors.windows()) {
      const { windowId, cadenceSeconds, number } = window;
      const keys = [
        ...(window.isCutPublished ? [`cut:${cadenceSeconds}:${number}`] : []),
        ...(window.isPublished ? [`window:${windowId}:0`] : []),
      ];
      for (const key of keys.filter((one) => !isPublished(one)))
        check.wrong(`${LAYOUT.anchors} windows`, `${key} was published and is not in the topic anchors`);
    }
    await kept?.finish((windowId) => isPublished(`window:${windowId}:0`), check);
  } finally {
    published.close();
  }
}

/** The stored agents of a published part of a window, as the part gives them. */
async function agentsIn(
  anchors: AnchorInspection,
  { windowId, agents: given }: WindowFacts,
  agents: ReadonlyMap<number, InspectedAgent>,
): Promise<readonly (readonly unknown[])[]> {
  const found: (readonly unknown[])[] = [];
  for await (const row of anchors.windowAgents(windowId, given[0]?.leafIndex ?? 0, given.length)) {
    const agent = agents.get(row.agentN);
    if (agent === undefined) continue;
    const { firstSequence: first, lastSequence: last } = row;
    const key = agent.key === null ? null : toHex(agent.key);
    found.push([agent.agentId, key, last - first + 1, first, last, toHex(row.root), row.leafIndex]);
  }
  return found;
}

function compareCut(cut: CutFacts, window: InspectedWindow, wrong: (problem: string) => void): void {
  compare(
    [
      ['cadence', cut.cadenceSeconds, window.cadenceSeconds],
      ['start', Date.parse(cut.windowStart), window.startMs],
      ['end', Date.parse(cut.windowEnd), window.endMs],
      ['offsets', JSON.stringify(cut.offsets), JSON.stringify(window.offsets)],
      ['carried agents', JSON.stringify(cut.carried), JSON.stringify(window.carried)],
    ],
    wrong,
  );
}

function compareWindow(
  facts: WindowFacts,
  window: InspectedWindow,
  agents: readonly (readonly unknown[])[],
  wrong: (problem: string) => void,
): void {
  const published = facts.agents.map((agent) => [
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
      ['cadence', facts.cadenceSeconds, window.cadenceSeconds],
      ['start', Date.parse(facts.windowStart), window.startMs],
      ['end', Date.parse(facts.windowEnd), window.endMs],
      ['root', facts.merkleRoot, window.root],
      ['prev', facts.prev, window.prev ?? '0'],
      ['number of agents', facts.agentCount, window.agentCount],
      ['number of events', facts.eventCount, window.eventCount],
      ['transaction', facts.txSignature, window.signature],
      ['slot', facts.slot, window.slot],
      ['block height', facts.blockHeight, window.blockHeight],
      ['time', facts.anchoredAt, window.anchoredAt],
      ['network', facts.network, window.network],
      ['authority', facts.authority, window.authority],
      ['agents', JSON.stringify(published), JSON.stringify(agents)],
    ],
    wrong,
  );
}

function compare(
  fields: readonly (readonly [name: string, published: unknown, stored: unknown])[],
  wrong: (problem: string) => void,
): void {
  for (const [name, published, stored] of fields) {
    if (published !== stored) wrong(`its ${name} is not the one of ${LAYOUT.anchors}`);
  }
}

/** audit-log's copy of the anchored windows. */
class ArchivedWindows {
  #runs = 0;

  private constructor(
    private readonly archive: ArchiveInspection,
    private readonly position: Reached,
  ) {}

  static async of(archive: ArchiveInspection): Promise<ArchivedWindows> {
    return new ArchivedWindows(archive, new Reached(await archive.positions('anchors')));
  }

  async compare(facts: WindowFacts, offset: number, place: string, check: Check): Promise<void> {
    const { windowId, agents } = facts;
    const window = (await this.archive.windows([windowId])).get(windowId);
    if (window === undefined) {
      if (this.position.has(offset)) check.wrong(place, `${LAYOUT.archive} does not have it`);
      else check.behind += 1;
      return;
    }
    for (const name of [
      'windowStart',
      'windowEnd',
      'merkleRoot',
      'txSignature',
      'blockHeight',
      'anchoredAt',
    ] as const) {
      if (window[name] !== facts[name]) check.wrong(place, `its ${name} is not the one of ${LAYOUT.archive} windows`);
    }
    this.#runs += agents.length;
    const stored = await this.archive.agentWindows(agents);
    for (const [n, { agentId, firstSequence, lastSequence }] of agents.entries()) {
      if (stored[n]?.lastSequence !== lastSequence || stored[n]?.windowId !== windowId)
        check.wrong(place, `${LAYOUT.archive} agent_windows has agent ${agentId} from ${firstSequence} otherwise`);
    }
  }

  /** Reports what the archive has in addition to the published windows. */
  async finish(isPublished: (windowId: string) => boolean, check: Check): Promise<void> {
    for await (const id of this.archive.windowIds()) {
      if (!isPublished(id)) check.wrong(`${LAYOUT.archive} windows ${id}`, 'the topic anchors does not have it');
    }
    const stored = await this.archive.countAgentWindows();
    if (stored > this.#runs)
      check.wrong(`${LAYOUT.archive} agent_windows`, `${stored} are stored, the topic anchors has ${this.#runs}`);
  }
}
