/** Names and `prefix*` patterns, ready to be asked. Cost of a look-up: one hash for each length of prefix. */
export class NamePatterns {
  readonly #names = new Set<string>();
  readonly #prefixes = new Map<string, string>();
  readonly #lengths: readonly number[];
  /** Low bytes of the characters that a prefix begins with: most names begin with none of them. */
  readonly #begins = new Uint8Array(256);
  /** The pattern `*`. */
  readonly #any: string | null;
  readonly size: number;

  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      if (entry.endsWith('*')) this.#prefixes.set(entry.slice(0, -1), entry);
      else this.#names.add(entry);
    }
    this.#lengths = [...new Set([...this.#prefixes.keys()].map((prefix) => prefix.length))].sort((a, b) => a - b);
    for (const prefix of this.#prefixes.keys()) this.#begins[prefix.charCodeAt(0) & 255] = 1;
    this.#any = this.#prefixes.get('') ?? null;
    this.size = entries.length;
  }

  /** The entry that names `name`, exact ones first, then the shortest pattern; or `null`. */
  match(name: string): string | null {
    if (this.#names.has(name)) return name;
    if (this.#any !== null) return this.#any;
    if (this.#begins[name.charCodeAt(0) & 255] === 0) return null;
    for (const length of this.#lengths) {
      if (length > name.length) break;
      const entry = this.#prefixes.get(name.slice(0, length));
      if (entry !== undefined) return entry;
    }
    return null;
  }
}
