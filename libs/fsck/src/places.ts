/** No partition is that long. */
const PARTITION = 2 ** 40;

/** Partition and offset of a topic in one number that sorts as they do; in a topic with one partition, the offset. */
export function placeIn(partition: number, offset: number): number {
  return partition * PARTITION + offset;
}

export function partitionOf(place: number): number {
  return Math.floor(place / PARTITION);
}

export function offsetOf(place: number): number {
  return place % PARTITION;
}

/** How far a consumer's store has followed a topic. */
export class Reached {
  readonly #next: ReadonlyMap<number, number>;

  /** @param next by partition: the offset after the last one taken */
  constructor(next: Iterable<readonly [number, number]>) {
    this.#next = new Map(next);
  }

  of(partition: number): number {
    return this.#next.get(partition) ?? 0;
  }

  /** `true` when the record there was taken. */
  has(place: number): boolean {
    return offsetOf(place) < this.of(partitionOf(place));
  }
}
