import type { PrefixEntry } from './grammar.js';

/** A prefix as it was read, and the entry of the profile that says it. */
export interface PathEnd {
  readonly prefix: PrefixEntry;
  readonly entry: string;
}

/** What of an entry is asked once its path fits. */
export type Reach = Pick<PrefixEntry, 'scheme' | 'port'>;

interface Place {
  /** Its segments, each with a slash behind it. */
  readonly path: string;
  readonly ends: readonly { readonly reach: Reach; readonly entry: string }[];
  /** The longest other prefix that this one begins with. */
  readonly above: Place | null;
}

/** The URL prefixes of one host, ready to be asked. They take no more memory than their text. */
export class PathPrefixes {
  /** In the order of their paths: the last that is not above a path begins with each prefix that the path begins with. */
  readonly #places: readonly Place[];

  /** @param ends not empty */
  constructor(ends: readonly PathEnd[]) {
    const byPath = new Map<string, Place['ends'][number][]>();
    for (const { prefix, entry } of ends) {
      const end = { reach: { scheme: prefix.scheme, port: prefix.port }, entry };
      for (const view of prefix.views) {
        const path = pathOf(view);
        const others = byPath.get(path);
        if (others === undefined) byPath.set(path, [end]);
        else others.push(end);
      }
    }
    const places: Place[] = [];
    let above: Place | null = null;
    for (const path of [...byPath.keys()].sort((a, b) => (a < b ? -1 : 1))) {
      while (above !== null && !path.startsWith(above.path)) above = above.above;
      const place: Place = { path, ends: byPath.get(path)!, above };
      places.push(place);
      above = place;
    }
    this.#places = places;
  }

  /** The entry of the shortest prefix that a path lies under and that fits; `null` where none does. */
  match(view: readonly string[], fits: (reach: Reach) => boolean): string | null {
    const path = pathOf(view);
    let low = 0;
    for (let high = this.#places.length; low < high;) {
      const middle = (low + high) >>> 1;
      if (this.#places[middle]!.path <= path) low = middle + 1;
      else high = middle;
    }
    let found: string | null = null;
    for (let place = this.#places[low - 1] ?? null; place !== null; place = place.above) {
      if (path.startsWith(place.path)) found = place.ends.find(({ reach }) => fits(reach))?.entry ?? found;
    }
    return found;
  }

  /** One of the entries. */
  any(): string {
    return this.#places[0]!.ends[0]!.entry;
  }
}

function pathOf(view: readonly string[]): string {
  return view.length === 0 ? '' : `${view.join('/')}/`;
}
