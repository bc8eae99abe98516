import type { ArrivalPlace } from '../store/port.js';

/** Offsets of one partition: `from <= offset < to`. The embedded store, whose offsets are row numbers, has `from < n <= to`. */
export interface Run {
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

/** Most partitions of a place that a client sends. */
const MOST_PARTITIONS = 256;

/** The place of saved positions by partition. */
export function placeOfOffsets(offsets: Readonly<Record<number, number>>): ArrivalPlace {
  return Object.entries(offsets)
    .map(([partition, next]) => [Number(partition), next] as const)
    .sort(([a], [b]) => a - b)
    .flat();
}

function offsetsOf(place: ArrivalPlace): Map<number, number> {
  const offsets = new Map<number, number>();
  for (let at = 0; at + 1 < place.length; at += 2) offsets.set(place[at]!, place[at + 1]!);
  return offsets;
}

/** The events between two places, by partition; a partition that only the later one names from its beginning on. */
export function runsBetween(after: ArrivalPlace, to: ArrivalPlace): readonly Run[] {
  const begin = offsetsOf(after);
  return [...offsetsOf(to)]
    .map(([partition, end]) => ({ partition, from: begin.get(partition) ?? 0, to: end }))
    .filter((run) => run.to > run.from);
}

/** Messages between two places; `null` where the first is not before the second: it is of another store, or forged. */
export function distance(after: ArrivalPlace, to: ArrivalPlace): number | null {
  const end = offsetsOf(to);
  for (const [partition, offset] of offsetsOf(after)) if (offset > (end.get(partition) ?? -1)) return null;
  return runsBetween(after, to).reduce((sum, run) => sum + run.to - run.from, 0);
}

/** The farthest place on the way from one to another that is at most `most` messages away in each partition. */
export function towards(after: ArrivalPlace, to: ArrivalPlace, most: number): ArrivalPlace {
  const begin = offsetsOf(after);
  return [...offsetsOf(to)].flatMap(([partition, end]) => [
    partition,
    Math.min(end, (begin.get(partition) ?? 0) + most),
  ]);
}

/** The text that a client sends back as `Last-Event-ID`. */
export function textOfPlace(place: ArrivalPlace): string {
  return place.join('.');
}

/** @returns `null` for a text that is no place */
export function placeOfText(text: string): ArrivalPlace | null {
  if (!/^\d{1,15}(\.\d{1,15})*$/.test(text)) return null;
  const place = text.split('.').map(Number);
  return place.length % 2 === 0 && place.length <= 2 * MOST_PARTITIONS ? place : null;
}
