import type { PrefixEntry } from './grammar.js';

/** A prefix as it was read, and its entry in the profile. */
export interface PathEnd {
  readonly prefix: PrefixEntry;
  readonly entry: string;
}

/** Parts of an entry that are compared once its path matches. */
export type Reach = Pick<PrefixEntry, 'scheme' | 'port'>;

interface PrefixNode {
  /** Its segments, each followed by a slash. */
  readonly path: string;
  readonly ends: readonly { readonly reach: Reach; readonly entry: string }[];
  /** The longest other prefix that this one begins with. */
  readonly above: PrefixNode | null;
}

/** The compiled URL prefixes of one host. They take no more memory than their text. */
export class PathPrefixes {
  /**
   * In the order of their paths: the last that is not above a path begins with each prefix that the path begins with.
   */
  readonly #nodes: readonly PrefixNode[];

  /** @param ends not empty */
  constructor(ends: readonly PathEnd[]) {
    const byPath = new Map<string, PrefixNode['ends'][number][]>();
    for (const { prefix, entry } of ends) {
      const end = { reach: { scheme: prefix.scheme, port: prefix.port }, entry };
      for (const view of prefix.views) {
        const path = pathOf(view);
        const others = byPath.get(path);
        if (others === undefined) byPath.set(path, [end]);
        else others.push(end);
      }
    }
    const nodes: PrefixNode[] = [];
    let above: PrefixNode | null = null;
    for (const path of [...byPath.keys()].sort((a, b) => (a < b ? -1 : 1))) {
      while (above !== null && !path.startsWith(above.path)) above = above.above;
      const node: PrefixNode = { path, ends: byPath.get(path)!, above };
      nodes.push(node);
      above = node;
    }
    this.#nodes = nodes;
  }

  /** The entry of the shortest prefix that contains the path and fits; `null` where none does. */
  match(view: readonly string[], fits: (reach: Reach) => boolean): string | null {
    const path = pathOf(view);
    let low = 0;
    for (let high = this.#nodes.length; low < high;) {
      const middle = (low + high) >>> 1;
      if (this.#nodes[middle]!.path <= path) low = middle + 1;
      else high = middle;
    }
    let found: string | null = null;
    for (let node = this.#nodes[low - 1] ?? null; node !== null; node = node.above) {
      if (path.startsWith(node.path)) found = node.ends.find(({ reach }) => fits(reach))?.entry ?? found;
    }
    return found;
  }

  /** One of the entries. */
  any(): string {
    return this.#nodes[0]!.ends[0]!.entry;
  }
}

function pathOf(view: readonly string[]): string {
  return view.length === 0 ? '' : `${view.join('/')}/`;
}
