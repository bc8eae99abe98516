import {
  BY_AGENT,
  insertNew,
  RUN,
  uuid,
  uuidText,
  type AgentWindowDocument,
  type Collections,
  type EventDocument,
  type WindowDocument,
} from './mongo-collections.js';
import type { MongoPositions } from './mongo-positions.js';
import type {
  AgentAnchor,
  AgentState,
  AgentWindow,
  AnchoredWindow,
  EventStore,
  Page,
  Position,
  SequenceRun,
} from './port.js';

/** Where leaves are anchored. Windows never change: each write says what it finds or adds it. */
export class MongoAnchors {
  readonly #collections: Collections;
  readonly #positions: MongoPositions;

  constructor(collections: Collections, positions: MongoPositions) {
    this.#collections = collections;
    this.#positions = positions;
  }

  async save(windows: readonly AnchoredWindow[], position: Position): Promise<void> {
    const { windows: stored, agentWindows, anchoredRuns } = this.#collections;
    await insertNew<WindowDocument>(
      stored,
      windows.map(({ windowId, agents: _agents, ...facts }) => ({ _id: windowId, ...onlyFacts(facts) })),
    );
    const places = windows.flatMap(({ windowId, agents }) => agents.map((place) => ({ ...place, windowId })));
    await insertNew<AgentWindowDocument>(
      agentWindows,
      places.map(({ agentId, firstSequence: first, lastSequence: last, windowId }) => ({
        _id: `${agentId}/${first}`,
        agentId: uuid(agentId),
        first,
        last,
        windowId,
      })),
    );
    const runs = places.flatMap(runsOf);
    if (runs.length > 0) {
      await anchoredRuns.bulkWrite(
        runs.map(({ _id, first, last }) => ({
          updateOne: { filter: { _id }, update: { $addToSet: { stretches: { first, last } } }, upsert: true },
        })),
        { ordered: false },
      );
    }
    await this.#positions.save(position);
  }

  async list(
    agentId: string,
    { limit, offset }: Page,
  ): Promise<{ readonly anchors: readonly AgentAnchor[]; readonly total: number }> {
    const { heads, agentWindows } = this.#collections;
    const id = uuid(agentId);
    const head = await heads.findOne({ _id: id }, { projection: { sequence: 1 } });
    const stored = { agentId: id, last: { $lte: head?.sequence ?? 0 } };
    const [total, places] = await Promise.all([
      agentWindows.countDocuments(stored),
      agentWindows.find(stored).sort({ last: -1 }).skip(offset).limit(limit).toArray(),
    ]);
    return { anchors: await this.#anchorsAt(places), total };
  }

  /** Windows that hold any of the leaves `first` to `last`, newest first. */
  async holding(agentId: string, first: number, last: number, limit: number): Promise<readonly AgentAnchor[]> {
    const { heads, agentWindows } = this.#collections;
    const id = uuid(agentId);
    const head = await heads.findOne({ _id: id }, { projection: { sequence: 1 } });
    const places = await agentWindows
      .find({ agentId: id, last: { $gte: first, $lte: head?.sequence ?? 0 }, first: { $lte: last } })
      .sort({ last: -1 })
      .limit(limit)
      .toArray();
    return this.#anchorsAt(places);
  }

  /** Windows with this root or transaction, of each of these agents. */
  async named(
    ...[by, agentIds, limit]: Parameters<EventStore['windowsNamed']>
  ): ReturnType<EventStore['windowsNamed']> {
    const { windows, agentWindows, heads } = this.#collections;
    const found = await windows.find(by).limit(limit).project<{ _id: string }>({ _id: 1 }).toArray();
    if (found.length === 0) return [];
    const places = await agentWindows
      .find({ windowId: { $in: found.map(({ _id }) => _id) }, agentId: { $in: agentIds.map(uuid) } })
      .sort({ windowId: 1, agentId: 1 })
      .limit(limit)
      .toArray();
    const stored = await heads.find({ _id: { $in: places.map(({ agentId }) => agentId) } }).toArray();
    const lastOf = new Map(stored.map(({ _id, sequence }) => [uuidText(_id), sequence]));
    const anchors = await this.#anchorsAt(places);
    return anchors
      .map((anchor, n) => ({ ...anchor, agentId: uuidText(places[n]!.agentId) }))
      .filter(({ agentId, lastSequence }) => lastSequence <= (lastOf.get(agentId) ?? 0));
  }

  async states(agentIds: readonly string[]): Promise<readonly AgentState[]> {
    const { events, heads, agentWindows } = this.#collections;
    const found = await heads.find({ _id: { $in: agentIds.map(uuid) } }).toArray();
    const states = found.map(async ({ _id, sequence: lastSequence }): Promise<AgentState | null> => {
      const [newest, window] = await Promise.all([
        events.findOne({ agentId: _id }, { hint: BY_AGENT, sort: { at: -1, sequence: -1 }, projection: { at: 1 } }),
        agentWindows.findOne({ agentId: _id, first: { $lte: lastSequence } }, { sort: { last: -1 } }),
      ]);
      if (newest === null) return null;
      const anchoredThrough = Math.min(window?.last ?? 0, lastSequence);
      return { agentId: uuidText(_id), lastSequence, lastEventMs: newest.at, anchoredThrough };
    });
    return (await Promise.all(states)).filter((state) => state !== null);
  }

  async continuity(
    agentId: string,
    first: number,
    last: number,
  ): Promise<{ stored: number; windows: readonly SequenceRun[] }> {
    const { events, agentWindows } = this.#collections;
    const id = uuid(agentId);
    const [stored, windows] = await Promise.all([
      events.countDocuments({ agentId: id, sequence: { $gte: first, $lte: last } }, { hint: 'by_sequence' }),
      agentWindows
        .find({ agentId: id, last: { $gte: first }, first: { $lte: last } })
        .project<SequenceRun>({ _id: 0, first: 1, last: 1 })
        .sort({ last: 1 })
        .toArray(),
    ]);
    return { stored, windows };
  }

  async #anchorsAt(places: readonly AgentWindowDocument[]): Promise<readonly AgentAnchor[]> {
    const { windows } = this.#collections;
    const found = await windows.find({ _id: { $in: places.map(({ windowId }) => windowId) } }).toArray();
    const byId = new Map(found.map((window) => [window._id, window]));
    return places.map(({ windowId, first: firstSequence, last: lastSequence }) => {
      const { _id, ...facts } = byId.get(windowId)!;
      return { ...facts, firstSequence, lastSequence };
    });
  }

  async of(agentId: string, sequence: number): Promise<AgentAnchor | null> {
    const { agentWindows, windows } = this.#collections;
    const place = await agentWindows.findOne(
      { agentId: uuid(agentId), last: { $gte: sequence } },
      { sort: { last: 1 }, hint: 'by_agent' },
    );
    if (place === null || place.first > sequence) return null;
    const window = await windows.findOne({ _id: place.windowId });
    if (window === null) return null;
    const { _id, ...facts } = window;
    return { ...facts, firstSequence: place.first, lastSequence: place.last };
  }

  /** For each event whether it lies in an anchored window of its agent. */
  async anchored(events: readonly EventDocument[]): Promise<readonly boolean[]> {
    if (events.length === 0) return [];
    const runs = events.map(({ agentId, sequence }) => runId(uuidText(agentId), sequence));
    const found = await this.#collections.anchoredRuns.find({ _id: { $in: [...new Set(runs)] } }).toArray();
    const ranges = new Map(found.map((run) => [run._id, run.stretches]));
    return events.map(({ sequence }, n) =>
      (ranges.get(runs[n]!) ?? []).some(({ first, last }) => first <= sequence && sequence <= last),
    );
  }
}

function runId(agentId: string, sequence: number): string {
  return `${agentId}/${Math.floor(sequence / RUN)}`;
}

/** The runs of sequences that a window touches. */
function runsOf({ agentId, firstSequence: first, lastSequence: last }: AgentWindow): {
  readonly _id: string;
  readonly first: number;
  readonly last: number;
}[] {
  const runs = [];
  for (let run = Math.floor(first / RUN); run * RUN <= last; run += 1) {
    runs.push({ _id: runId(agentId, run * RUN), first, last });
  }
  return runs;
}

/** Leaves out what a message of `anchors` says besides. */
function onlyFacts(window: Omit<WindowDocument, '_id'>): Omit<WindowDocument, '_id'> {
  const { windowStart, windowEnd, merkleRoot, txSignature, blockHeight, anchoredAt } = window;
  return { windowStart, windowEnd, merkleRoot, txSignature, blockHeight, anchoredAt };
}
