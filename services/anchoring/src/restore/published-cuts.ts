import type { AnchorFacts } from '@countersign/contracts';
import type { EventLog, Offsets } from '@countersign/event-log';
import { readVersionedRecord, storedPages } from '@countersign/topics';

export type PublishedCut = Extract<AnchorFacts, { kind: 'cut' }>;
type Reads = Pick<EventLog, 'beginOffsets' | 'endOffsets' | 'read'>;

/** Cuts that one moment made: they end at one place of the log. */
export interface CutMoment {
  readonly offsets: Offsets;
  readonly cuts: readonly PublishedCut[];
}

/** Every record of `anchors`, oldest first of each partition. */
export async function* publishedFacts(log: Reads): AsyncGenerator<AnchorFacts> {
  for await (const records of storedPages(log, 'anchors')) {
    for (const record of records) {
      const { value } = readVersionedRecord<AnchorFacts>(record);
      if (value !== null) yield value;
    }
  }
}

export function windowIdOf({ cadenceSeconds, number }: Pick<PublishedCut, 'cadenceSeconds' | 'number'>): string {
  return `${cadenceSeconds}-${number}`;
}

/**
 * The recorded cuts in the order in which they were made. Where the log ends never goes back from one to the next. Of
 * those that end at one place, which no event came between, two belong to one moment when there was a time at which both
 * labels had just ended; else the earlier label was cut first, of one cadence the lower number.
 */
export function momentsOf(cuts: readonly PublishedCut[]): readonly CutMoment[] {
  const ordered = cuts.toSorted((a, b) => place(a) - place(b) || order(a, b));
  const moments: { offsets: Offsets; cuts: PublishedCut[] }[] = [];
  for (const cut of ordered) {
    const last = moments.at(-1);
    if (
      last !== undefined &&
      samePlace(last.offsets, cut.offsets) &&
      last.cuts.every((other) => together(other, cut))
    ) {
      last.cuts.push(cut);
    } else {
      moments.push({ offsets: cut.offsets, cuts: [cut] });
    }
  }
  return moments;
}

const endOf = ({ windowEnd }: PublishedCut): number => Date.parse(windowEnd);
const place = ({ offsets }: PublishedCut): number => Object.values(offsets).reduce((sum, offset) => sum + offset, 0);

function order(a: PublishedCut, b: PublishedCut): number {
  return a.cadenceSeconds === b.cadenceSeconds ? a.number - b.number : endOf(a) - endOf(b);
}

function samePlace(a: Offsets, b: Offsets): boolean {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((p) => (a[Number(p)] ?? 0) === (b[Number(p)] ?? 0));
}

/** A label is the last that ended until the next one of its duration ends. */
function together(a: PublishedCut, b: PublishedCut): boolean {
  if (a.cadenceSeconds === b.cadenceSeconds) return false;
  const from = Math.max(endOf(a), endOf(b));
  return from < endOf(a) + a.cadenceSeconds * 1000 && from < endOf(b) + b.cadenceSeconds * 1000;
}
