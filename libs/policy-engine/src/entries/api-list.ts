import { urlPathViews } from '../urls/path-views.js';
import type { ReadingBudget } from '../urls/path-views.js';
import type { ReadUrl } from '../urls/read-url.js';
import { fold } from '../judge/members.js';
import { readApiEntry } from './grammar.js';
import type { ApiEntry, HostEntry, PrefixEntry } from './grammar.js';
import { NamePatterns } from './name-patterns.js';
import { PathPrefixes } from './path-prefixes.js';
import type { PathEnd, Reach } from './path-prefixes.js';

/**
 * `block`: one matching view of the path is enough, and another scheme or an unwritten port is no way round. `allow`:
 * every view must be on the list, and scheme and port are those of the entry.
 */
export type Side = 'allow' | 'block';

function isHost({ host, below }: ApiEntry): boolean {
  return host === undefined ? below !== undefined : isHostByForm(host);
}

function isHostByForm({ host, port }: HostEntry): boolean {
  return port !== null || /[.:]|^localhost$/.test(host);
}

/** Matches no port of an entry: an entry for one port does not cover it. */
const ANY_PORT = 'any';
/** Longer names of tools are not searched for in another spelling. */
const LONGEST_NAME = 512;

const nearest = (entry: string, what: string): string => `The nearest entry, ${entry}, is for ${what}.`;

/** A compiled list of API identifiers: hosts and names by hash, URL prefixes in order for each host. */
export class ApiList {
  readonly #entries: readonly string[];
  readonly size: number;
  readonly #side: Side;
  readonly #names: NamePatterns;
  /** The entry that matches every host and every name. */
  readonly #all: string | null;
  readonly #hosts = new Map<string, string>();
  readonly #below = new Map<string, string>();
  readonly #prefixes = new Map<string, PathPrefixes>();
  #ports = false;
  /** Length of the longest host in `#below`: longer suffixes of a host are not looked up. */
  #longestBelow = 0;
  /**
   * True if it limits addresses: one entry is a URL prefix, or a host by its form. A name without a dot and a port, as
   * tools have it, may be a host too, but does not limit other addresses. `*` does in a block list and does not in an
   * allow list.
   */
  readonly limitsAddresses: boolean;

  constructor(entries: readonly string[], side: Side) {
    this.#side = side;
    this.#entries = entries;
    this.size = entries.length;
    const names: string[] = [];
    let hosts = false;
    const ends = new Map<string, PathEnd[]>();
    for (const entry of entries) {
      const read = readApiEntry(entry);
      if (typeof read === 'string') throw new RangeError(`an entry ${read}`);
      if (read.name !== undefined) names.push(read.name);
      if (read.host !== undefined) this.#keep(this.#hosts, read.host, entry);
      if (read.below !== undefined) {
        this.#keep(this.#below, read.below, entry);
        this.#longestBelow = Math.max(this.#longestBelow, read.below.host.length);
      }
      // A last `*` is a pattern of names by contract: it may block more than that, and allow nothing else.
      hosts ||= isHost(read) || (read.prefix !== undefined && !entry.endsWith('*'));
      hosts ||= side === 'block' && read.prefix !== undefined && isHostByForm(read.prefix);
      if (read.prefix === undefined || (side === 'allow' && entry.endsWith('*'))) continue;
      const { host } = read.prefix;
      const others = ends.get(host);
      if (others === undefined) ends.set(host, [{ prefix: read.prefix, entry }]);
      else others.push({ prefix: read.prefix, entry });
    }
    for (const [host, all] of ends) this.#prefixes.set(host, new PathPrefixes(all));
    this.#names = new NamePatterns(names);
    this.#all = entries.includes('*') ? '*' : null;
    this.limitsAddresses = this.#all === null ? hosts : side === 'block';
  }

  /** Reports whether any entry can match a URL. */
  get namesUrls(): boolean {
    return this.#all !== null || this.#hosts.size > 0 || this.#below.size > 0 || this.#prefixes.size > 0;
  }

  /** Reports whether any entry can match a tool. */
  get namesTools(): boolean {
    return this.#names.size > 0;
  }

  /** The entry that matches this tool, or `null`. */
  matchName(name: string): string | null {
    return this.#names.match(name);
  }

  /**
   * The entry that matches this URL, or `null`. Beyond `budget` the URL cannot be judged, and the result means nothing.
   */
  matchUrl(url: ReadUrl, budget: ReadingBudget): string | null {
    const { host, otherHost } = url;
    const entry = this.#matchUrlAt(host, url, budget);
    if (otherHost === null || (entry === null) === (this.#side === 'allow')) return entry;
    return this.#matchUrlAt(otherHost, url, budget);
  }

  /**
   * The entry that matches this host, or with `anyPath` a path on it, or `null`. @param port `null`: none is written
   */
  matchHost(host: string, port: string | null, anyPath: boolean): string | null {
    if (this.#all !== null) return this.#all;
    const entry =
      port === null ? (this.#matchHost(host, '443') ?? this.#matchHost(host, '80')) : this.#matchHost(host, port);
    return entry ?? (anyPath ? (this.#prefixes.get(host)?.any() ?? null) : null);
  }

  #matchUrlAt(host: string, url: ReadUrl, budget: ReadingBudget): string | null {
    if (this.#all !== null) return this.#all;
    const entry = this.#matchHost(host, url.port);
    if (entry !== null) return entry;
    const prefixes = this.#prefixes.size === 0 ? undefined : this.#prefixes.get(host);
    return prefixes === undefined ? null : this.#matchPath(prefixes, url, budget);
  }

  #matchHost(host: string, port: string): string | null {
    const exact = this.#lookUp(this.#hosts, host, port);
    if (exact !== null || this.#below.size === 0) return exact;
    for (
      let dot = host.indexOf('.', host.length - this.#longestBelow - 1);
      dot >= 0;
      dot = host.indexOf('.', dot + 1)
    ) {
      const entry = this.#lookUp(this.#below, host.slice(dot + 1), port);
      if (entry !== null) return entry;
    }
    return null;
  }

  /**
   * On a block list: the entry that blocks every URL, or every tool, that an entry of an allow list allows; or `null`.
   */
  covers(allowed: string): string | null {
    const read = readApiEntry(allowed);
    if (typeof read === 'string') return null;
    if (this.#all !== null) return this.#all;
    const { name, host, below, prefix } = read;
    const found = [
      ...(name === undefined ? [] : [this.#names.match(name)]),
      ...(host === undefined ? [] : [this.#matchHost(host.host, host.port ?? ANY_PORT)]),
      // Names below a blocked host are other hosts.
      ...(below === undefined ? [] : [this.#matchHost(`*.${below.host}`, below.port ?? ANY_PORT)]),
      ...(prefix === undefined || allowed.endsWith('*') ? [] : [this.#coversPrefix(prefix)]),
    ];
    return found.find((entry) => entry !== null) ?? null;
  }

  #coversPrefix({ host, port, scheme, views }: PrefixEntry): string | null {
    const at = port ?? (scheme === null ? ANY_PORT : scheme === 'https:' ? '443' : '80');
    const entry = this.#matchHost(host, at);
    if (entry !== null) return entry;
    return this.#prefixes.get(host)?.match(views[0]!, (reach) => reach.port === null || reach.port === at) ?? null;
  }

  /** A sentence about the entry closest to a URL that is not on the list, or ''. */
  nearestToUrl(url: ReadUrl, budget: ReadingBudget): string {
    const { host } = url;
    const prefixes = this.#prefixes.get(host);
    const views = prefixes === undefined ? null : urlPathViews(url, budget);
    const path = views?.[0] === undefined ? null : prefixes!.match(views[0], () => true);
    if (path !== null) return nearest(path, 'another port or scheme than the URL has');
    const port = [...this.#hosts].find(([key]) => key.startsWith(`${host}:`))?.[1];
    if (port !== undefined) return nearest(port, 'another port than the URL has');
    if (prefixes !== undefined) return nearest(prefixes.any(), 'another path than the URL has');
    const below = this.#below.get(host);
    if (below !== undefined) return nearest(below, 'the hosts below this one, not the host itself');
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
      const above = this.#hosts.get(host.slice(dot + 1));
      if (above !== undefined) return nearest(above, `that host alone, not the hosts below it, which are *.${above}`);
    }
    return '';
  }

  /** A sentence about the entry spelled most like a tool's name that is not on the list, or ''. */
  nearestToName(name: string): string {
    const wanted = name.length > LONGEST_NAME ? '' : fold(name);
    const entry = wanted === '' ? undefined : this.#entries.find((one) => fold(one) === wanted);
    return entry === undefined ? '' : nearest(entry, 'a name that is spelled otherwise');
  }

  #keep(map: Map<string, string>, at: HostEntry, entry: string): void {
    if (at.port !== null) this.#ports = true;
    const key = at.port === null ? at.host : `${at.host}:${at.port}`;
    if (!map.has(key)) map.set(key, entry);
  }

  #lookUp(map: ReadonlyMap<string, string>, host: string, port: string): string | null {
    return map.get(host) ?? (this.#ports ? map.get(`${host}:${port}`) : undefined) ?? null;
  }

  #matchPath(prefixes: PathPrefixes, url: ReadUrl, budget: ReadingBudget): string | null {
    const views = urlPathViews(url, budget);
    // Encoded too often to read: on no allow list, and under every prefix of a blocked host.
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
