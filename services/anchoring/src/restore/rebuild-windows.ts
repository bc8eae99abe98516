import type { EventLog, Offsets } from '@countersign/event-log';
import { requireLogSince, RestoreRefused } from '@countersign/topics';
import type { WindowCloser } from '../close-windows/window-closer.js';
import type { LeafIntake } from '../intake/leaf-intake.js';
import type { AnchorStore, CutWindow } from '../store/port.js';
import { momentsOf, publishedFacts, windowIdOf, type PublishedCut } from './published-cuts.js';

const PAGE = 1_000;
/** No store has as many unpublished cuts. */
const UNPUBLISHED = 100_000;

export interface RebuildTools {
  readonly log: Pick<EventLog, 'beginOffsets' | 'endOffsets' | 'read'>;
  readonly store: AnchorStore;
  readonly intake: Pick<LeafIntake, 'take'>;
  readonly closer: Pick<WindowCloser, 'closeNext' | 'sweep'>;
  readonly progress: (what: string) => void;
}

/**
 * The recorded cuts that the store has not made, or not finished.
 * @throws RestoreRefused where the log no longer holds what lies between the store and them
 */
export async function cutsToMake(
  log: RebuildTools['log'],
  store: Pick<AnchorStore, 'cadences' | 'position'>,
): Promise<readonly PublishedCut[]> {
  const made = new Map((await store.cadences()).map(({ cadenceSeconds, cuts }) => [cadenceSeconds, cuts]));
  const missing: PublishedCut[] = [];
  for await (const facts of publishedFacts(log)) {
    if (facts.kind !== 'cut') continue;
    if (facts.number > (made.get(facts.cadenceSeconds) ?? 0)) missing.push(facts);
  }
  if (missing.length > 0) await requireLogSince(log, (partition) => store.position('agent-events', partition));
  return missing;
}

/**
 * Takes the log up to each recorded cut, makes the cut there, and closes its windows: what lies between two cuts is what
 * lay between them the first time, so the trees are the same. Nothing is published and nothing is submitted.
 * @returns how many windows were made again
 * @throws RestoreRefused where a cut comes out otherwise than it was recorded
 */
export async function rebuildWindows(tools: RebuildTools, missing: readonly PublishedCut[]): Promise<number> {
  const { store, log, progress } = tools;
  await finishPendingCut(tools);
  const moments = momentsOf(missing);
  for (const [i, { offsets, cuts }] of moments.entries()) {
    if (i % 1_000 === 0) progress(`windows: cut ${i} of ${moments.length}`);
    await takeUpTo(tools, offsets);
    const labels = cuts.map(({ cadenceSeconds, windowStart, windowEnd }) => {
      return { cadenceSeconds, startMs: Date.parse(windowStart), endMs: Date.parse(windowEnd) };
    });
    await store.cut(labels, offsets);
    await store.completeCut();
  }
  const published = new Map<string, PublishedCut>();
  const unpublished = new Map((await store.unpublishedCuts(UNPUBLISHED)).map((cut) => [cut.windowId, cut]));
  for await (const facts of publishedFacts(log)) {
    if (facts.kind === 'cut' && unpublished.has(windowIdOf(facts))) published.set(windowIdOf(facts), facts);
  }
  for (const [id, facts] of published) requireSame(unpublished.get(id)!, facts);
  const lost = missing.find((cut) => !published.has(windowIdOf(cut)));
  if (lost !== undefined) throw new RestoreRefused(`cut ${lost.number} of ${lost.cadenceSeconds} s came out otherwise`);
  await store.markCutsPublished([...published.keys()]);
  let closed = 0;
  while ((await tools.closer.closeNext()) !== null) {
    closed += 1;
    if (closed % 100 === 0) progress(`windows: ${closed} closed`);
  }
  await tools.closer.sweep();
  return closed;
}

async function finishPendingCut(tools: RebuildTools): Promise<void> {
  const pending = await tools.store.pendingCut();
  if (pending === null) return;
  await takeUpTo(tools, pending);
  await tools.store.completeCut();
}

/** @throws RestoreRefused where the store has taken what lies above, or the log does not hold what lies below */
async function takeUpTo({ log, store, intake }: RebuildTools, offsets: Offsets): Promise<void> {
  for (const [name, end] of Object.entries(offsets)) {
    const partition = Number(name);
    for (;;) {
      const from = (await store.position('agent-events', partition)) ?? 0;
      if (from > end) {
        throw new RestoreRefused(
          `the store holds agent-events/${partition} up to ${from} and lacks the cut at ${end}: it is no copy of one moment`,
        );
      }
      if (from === end) break;
      const read = await log.read('agent-events', partition, from, Math.min(PAGE, end - from));
      const records = read.filter(({ offset }) => offset < end);
      if (records.length === 0) {
        throw new RestoreRefused(`agent-events/${partition} does not hold what lies between ${from} and ${end}`);
      }
      await intake.take({ topic: 'agent-events', partition, records, endOffset: end });
    }
  }
}

function requireSame(made: CutWindow, published: PublishedCut): void {
  const same =
    made.startMs === Date.parse(published.windowStart) &&
    made.endMs === Date.parse(published.windowEnd) &&
    Object.entries(published.offsets).every(([p, offset]) => (made.offsets[Number(p)] ?? 0) === offset);
  if (!same) throw new RestoreRefused(`window ${made.windowId} was cut otherwise than was published`);
}
