import { folded } from './message.js';

/** Of a server that lists more, the first ones are kept. */
const MOST_KNOWN = 10_000;

/** Names of the tools that a server has listed. */
export class KnownTools {
  readonly #names = new Set<string>();
  readonly #byFolded = new Map<string, string>();

  add(names: readonly string[]): void {
    for (const name of names) {
      if (this.#names.size >= MOST_KNOWN) return;
      this.#names.add(name);
      this.#byFolded.set(folded(name), name);
    }
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** The known tool that some readers would take `name` for: those that ignore case, width and invisible characters. */
  meantBy(name: string): string | null {
    return this.has(name) ? null : (this.#byFolded.get(folded(name)) ?? null);
  }
}
