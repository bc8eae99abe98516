/** Compiled names and `prefix*` patterns. Cost of a look-up: one hash, and a few comparisons of strings. */
export class NamePatterns {
  readonly #names = new Set<string>();
  /** In string order, none a prefix of another: only the last that is not above a name can be its prefix. */
  readonly #prefixes: readonly string[];
  /** Low bytes of the first characters of the prefixes: most names begin with none of them. */
  readonly #begins = new Uint8Array(256);
  /** The pattern `*`. */
  readonly #any: string | null;
  readonly size: number;

  constructor(entries: readonly string[]) {
    const prefixes: string[] = [];
    for (const entry of entries) {
      if (entry.endsWith('*')) prefixes.push(entry.slice(0, -1));
      else this.#names.add(entry);
    }
    this.#any = prefixes.includes('') ? '*' : null;
    this.#prefixes = shortestOf(prefixes);
    for (const prefix of this.#prefixes) this.#begins[prefix.charCodeAt(0) & 255] = 1;
    this.size = entries.length;
  }

  /** The entry that matches `name`, exact ones first, then the shortest pattern; or `null`. */
  match(name: string): string | null {
    if (this.#names.has(name)) return name;
    if (this.#any !== null) return this.#any;
    if (this.#begins[name.charCodeAt(0) & 255] === 0) return null;
    let low = 0;
    for (let high = this.#prefixes.length; low < high;) {
      const middle = (low + high) >>> 1;
      if (this.#prefixes[middle]! <= name) low = middle + 1;
      else high = middle;
    }
    const prefix = low === 0 ? null : this.#prefixes[low - 1]!;
    return prefix !== null && name.startsWith(prefix) ? `${prefix}*` : null;
  }
}

/** In order, without those that begin with another: where they match, the shorter one is reported. */
function shortestOf(prefixes: readonly string[]): readonly string[] {
  const shortest: string[] = [];
  for (const prefix of [...prefixes].sort(byUnits)) {
    const last = shortest.at(-1);
    if (last === undefined || !prefix.startsWith(last)) shortest.push(prefix);
  }
  return shortest;
}

/** As `<` compares strings. */
function byUnits(a: string, b: string): number {
  return a < b ? -1 : a === b ? 0 : 1;
}
