import { urlPathViews } from '../urls/path-views.js';
import type { ReadUrl } from '../urls/read-url.js';
import { readApiEntry } from './grammar.js';
import type { HostEntry } from './grammar.js';
import { NamePatterns } from './name-patterns.js';
import { PathPrefixes } from './path-prefixes.js';
import type { PathEnd, Reach } from './path-prefixes.js';

/**
 * `block`: one view of the path is enough, and neither another scheme nor an unwritten port is a way round.
 * `allow`: every view must be on the list, and scheme and port are those of the entry.
 */
export type Side = 'allow' | 'block';

/** A list of API identifiers, ready to be asked: hosts and names by hash, URL prefixes in order for each host. */
export class ApiList {
  readonly size: number;
  readonly #side: Side;
  readonly #names: NamePatterns;
  /** Every host and every name. */
  readonly #all: string | null;
  readonly #hosts = new Map<string, string>();
  readonly #below = new Map<string, string>();
  readonly #prefixes = new Map<string, PathPrefixes>();
  #ports = false;

  constructor(entries: readonly string[], side: Side) {
    this.#side = side;
    this.size = entries.length;
    const names: string[] = [];
    const ends = new Map<string, PathEnd[]>();
    for (const entry of entries) {
      const read = readApiEntry(entry);
      if (typeof read === 'string') throw new RangeError(`an entry ${read}`);
      if (read.name !== undefined) names.push(read.name);
      if (read.host !== undefined) this.#keep(this.#hosts, read.host, entry);
      if (read.below !== undefined) this.#keep(this.#below, read.below, entry);
      // A last `*` is a pattern of names by contract: it may block more than that, and allow nothing else.
      if (read.prefix === undefined || (side === 'allow' && entry.endsWith('*'))) continue;
      const { host } = read.prefix;
      const others = ends.get(host);
      if (others === undefined) ends.set(host, [{ prefix: read.prefix, entry }]);
      else others.push({ prefix: read.prefix, entry });
    }
    for (const [host, all] of ends) this.#prefixes.set(host, new PathPrefixes(all));
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
    const prefixes = this.#prefixes.size === 0 ? undefined : this.#prefixes.get(url.host);
    return prefixes === undefined ? null : this.#matchPath(prefixes, url);
  }

  #keep(map: Map<string, string>, at: HostEntry, entry: string): void {
    if (at.port !== null) this.#ports = true;
    const key = at.port === null ? at.host : `${at.host}:${at.port}`;
    if (!map.has(key)) map.set(key, entry);
  }

  #lookUp(map: ReadonlyMap<string, string>, host: string, port: string): string | null {
    return map.get(host) ?? (this.#ports ? map.get(`${host}:${port}`) : undefined) ?? null;
  }

  #matchPath(prefixes: PathPrefixes, url: ReadUrl): string | null {
    const views = urlPathViews(url);
    // Encoded beyond reading: on no allow list, and under every prefix of a host that is blocked.
    if (views === null) return this.#side === 'block' ? prefixes.any() : null;
    const fits = (reach: Reach): boolean => this.#fits(reach, url);
    let found: string | null = null;
    for (const view of views) {
      const entry = prefixes.match(view, fits);
      if (entry !== null && this.#side === 'block') return entry;
      if (entry === null && this.#side === 'allow') return null;
      found ??= entry;
    }
    return found;
  }

  #fits({ scheme, port }: Reach, url: ReadUrl): boolean {
    if (this.#side === 'block' || scheme === null) return port === null || port === url.port;
    return scheme === url.scheme && (port ?? (scheme === 'https:' ? '443' : '80')) === url.port;
  }
}
