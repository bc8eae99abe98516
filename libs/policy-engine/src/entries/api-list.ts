import { urlPathViews } from '../urls/path-views.js';
import type { ReadUrl } from '../urls/read-url.js';
import { readApiEntry } from './grammar.js';
import type { HostEntry, PrefixEntry } from './grammar.js';
import { NamePatterns } from './name-patterns.js';

interface PathNode {
  readonly below: Map<string, PathNode>;
  readonly ends: { readonly prefix: PrefixEntry; readonly entry: string }[];
}

/**
 * `block`: one view of the path is enough, and neither another scheme nor an unwritten port is a way round.
 * `allow`: every view must be on the list, and scheme and port are those of the entry.
 */
export type Side = 'allow' | 'block';

/** A list of API identifiers, ready to be asked: hosts and names by hash, URL prefixes by a tree for each host. */
export class ApiList {
  readonly size: number;
  readonly #side: Side;
  readonly #names: NamePatterns;
  /** Every host and every name. */
  readonly #all: string | null;
  readonly #hosts = new Map<string, string>();
  readonly #below = new Map<string, string>();
  readonly #prefixes = new Map<string, PathNode>();
  #ports = false;

  constructor(entries: readonly string[], side: Side) {
    this.#side = side;
    this.size = entries.length;
    const names: string[] = [];
    for (const entry of entries) {
      const read = readApiEntry(entry);
      if (typeof read === 'string') throw new RangeError(`an entry ${read}`);
      if (read.name !== undefined) names.push(read.name);
      if (read.host !== undefined) this.#keep(this.#hosts, read.host, entry);
      if (read.below !== undefined) this.#keep(this.#below, read.below, entry);
      if (read.prefix !== undefined) this.#plant(read.prefix, entry);
    }
    this.#names = new NamePatterns(names);
    this.#all = entries.includes('*') ? '*' : null;
  }

  /** The entry that names this tool, or `null`. */
  matchName(name: string): string | null {
    return this.#names.match(name);
  }

  /** The entry that names this URL, or `null`. */
  matchUrl(url: ReadUrl): string | null {
    if (this.#all !== null) return this.#all;
    const exact = this.#lookUp(this.#hosts, url.host, url.port);
    if (exact !== null) return exact;
    if (this.#below.size > 0) {
      for (let dot = url.host.indexOf('.'); dot >= 0; dot = url.host.indexOf('.', dot + 1)) {
        const entry = this.#lookUp(this.#below, url.host.slice(dot + 1), url.port);
        if (entry !== null) return entry;
      }
    }
    const tree = this.#prefixes.size === 0 ? undefined : this.#prefixes.get(url.host);
    return tree === undefined ? null : this.#matchPath(tree, url);
  }

  #keep(map: Map<string, string>, at: HostEntry, entry: string): void {
    if (at.port !== null) this.#ports = true;
    const key = at.port === null ? at.host : `${at.host}:${at.port}`;
    if (!map.has(key)) map.set(key, entry);
  }

  #lookUp(map: ReadonlyMap<string, string>, host: string, port: string): string | null {
    return map.get(host) ?? (this.#ports ? map.get(`${host}:${port}`) : undefined) ?? null;
  }

  #plant(prefix: PrefixEntry, entry: string): void {
    let tree = this.#prefixes.get(prefix.host);
    if (tree === undefined) this.#prefixes.set(prefix.host, (tree = { below: new Map(), ends: [] }));
    for (const view of prefix.views) {
      const end = view.reduce(child, tree);
      end.ends.push({ prefix, entry });
    }
  }

  #matchPath(tree: PathNode, url: ReadUrl): string | null {
    const views = urlPathViews(url.text, url.pathname);
    // Encoded beyond reading: on no allow list, and under every prefix of a host that is blocked.
    if (views === null) return this.#side === 'block' ? anyEntry(tree) : null;
    let found: string | null = null;
    for (const view of views) {
      const entry = this.#walk(tree, view, url);
      if (entry !== null && this.#side === 'block') return entry;
      if (entry === null && this.#side === 'allow') return null;
      found ??= entry;
    }
    return found;
  }

  #walk(tree: PathNode, view: readonly string[], url: ReadUrl): string | null {
    let node: PathNode | undefined = tree;
    for (let i = 0; node !== undefined; i += 1) {
      for (const end of node.ends) if (this.#fits(end.prefix, url)) return end.entry;
      node = i < view.length ? node.below.get(view[i]!) : undefined;
    }
    return null;
  }

  #fits(prefix: PrefixEntry, url: ReadUrl): boolean {
    if (this.#side === 'block' || prefix.scheme === null) return prefix.port === null || prefix.port === url.port;
    return prefix.scheme === url.scheme && (prefix.port ?? (prefix.scheme === 'https:' ? '443' : '80')) === url.port;
  }
}

function child(node: PathNode, segment: string): PathNode {
  let next = node.below.get(segment);
  if (next === undefined) node.below.set(segment, (next = { below: new Map(), ends: [] }));
  return next;
}

function anyEntry(tree: PathNode): string | null {
  for (let node: PathNode | undefined = tree; node !== undefined; node = node.below.values().next().value) {
    const end = node.ends[0];
    if (end !== undefined) return end.entry;
  }
  return null;
}
