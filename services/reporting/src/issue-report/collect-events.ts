import type { ArchivedEvent, EventArchive, LeafEvent } from '@countersign/contracts';

/** The contiguous run of one agent's events in a report. */
export interface AgentRun {
  readonly agentId: string;
  /** In sequence order without a gap; empty if the agent has no event in the range. */
  readonly events: readonly ArchivedEvent[];
}

const PAGE = 1000;

/**
 * Reads the run from the first to the last sequence whose time lies in `[from, to)`, including events in between with
 * a time outside (clock differences of gateways).
 * @param budget maximum number of events; more throw `TooManyEvents`
 * @throws Error if the archive has a gap: the report would be incomplete
 */
export async function collectRun(
  archive: EventArchive,
  agentId: string,
  from: string,
  to: string,
  budget: number,
): Promise<AgentRun> {
  const span = await archive.span(agentId, from, to);
  if (span === null) return { agentId, events: [] };
  if (span.last - span.first + 1 > budget) throw new TooManyEvents(span.last - span.first + 1);
  const events: ArchivedEvent[] = [];
  for await (const page of pagesOf(archive, agentId, span, PAGE)) events.push(...page);
  return { agentId, events };
}

/**
 * Reads the events of an agent from `first` to `last`, in sequence order.
 * @param size of a page, at most 1,000
 * @throws Error if the archive has a gap
 */
export async function* pagesOf(
  archive: Pick<EventArchive, 'range'>,
  agentId: string,
  { first, last }: { readonly first: number; readonly last: number },
  size: number,
): AsyncGenerator<readonly ArchivedEvent[], void, undefined> {
  for (let next = first; next <= last;) {
    const page = await archive.range(agentId, next, last, size);
    for (const event of page) {
      if (event.sequence !== next) throw new Error(`the archive lacks sequence ${next} of agent ${agentId}`);
      next += 1;
    }
    if (page.length === 0) throw new Error(`the archive lacks sequence ${next} of agent ${agentId}`);
    yield page;
  }
}

export class TooManyEvents extends Error {
  override readonly name = 'TooManyEvents';
  constructor(readonly events: number) {
    super(`${events} events are more than a package holds`);
  }
}

/** Events that refer to these ones, anywhere in the archive: their outcomes, and answers in doubt. */
export async function collectReferring(
  archive: Pick<EventArchive, 'referring'>,
  runs: readonly AgentRun[],
): Promise<ReadonlyMap<string, readonly ArchivedEvent[]>> {
  const byReferred = new Map<string, ArchivedEvent[]>();
  const ids = runs.flatMap((run) => run.events.map((event) => event.envelope.leaf.eventId));
  for (let start = 0; start < ids.length; start += PAGE) {
    for (const event of await archive.referring(ids.slice(start, start + PAGE))) {
      const referred = event.envelope.leaf.refersTo;
      if (referred === null) continue;
      byReferred.set(referred, [...(byReferred.get(referred) ?? []), event]);
    }
  }
  return byReferred;
}

/**
 * The checks that reported outcomes refer to, by id: from the runs, else from the archive.
 * Only of the same agent: an outcome refers to a check of its own agent.
 */
export async function collectReferred(
  archive: Pick<EventArchive, 'leaves'>,
  runs: readonly AgentRun[],
): Promise<ReadonlyMap<string, LeafEvent>> {
  const leaves = runs.flatMap((run) => run.events.map((event) => event.envelope.leaf));
  const outcomes = leaves.filter(({ type }) => type === 'action.outcome');
  const agentOf = new Map(outcomes.map(({ refersTo, agentId }) => [refersTo, agentId]));
  const known = new Map(leaves.map((leaf) => [leaf.eventId, leaf]));
  const wanted = [...agentOf.keys()].filter((id): id is string => id !== null);
  const elsewhere = wanted.filter((id) => !known.has(id));
  for (let start = 0; start < elsewhere.length; start += PAGE) {
    for (const leaf of await archive.leaves(elsewhere.slice(start, start + PAGE))) known.set(leaf.eventId, leaf);
  }
  const referred = new Map<string, LeafEvent>();
  for (const id of wanted) {
    const leaf = known.get(id);
    if (leaf !== undefined && leaf.agentId === agentOf.get(id)) referred.set(id, leaf);
  }
  return referred;
}
