import { NamePatterns } from '../entries/name-patterns.js';
import { entryReadings, scopeReadings, withoutLastSlash } from './scope-readings.js';

/** `block`: one listed reading is enough. `allow`: every reading must be listed. */
type Side = 'allow' | 'block';

/** A compiled list of data scopes. */
export class ScopeList {
  readonly size: number;
  readonly #side: Side;
  readonly #patterns: NamePatterns;
  /** Entries as they are written, by their reading, where the two differ. */
  readonly #written = new Map<string, string>();

  /** An entry that goes up (`..`) matches nothing: no scope that goes up is judged by the list. */
  constructor(entries: readonly string[], side: Side) {
    this.#side = side;
    this.size = entries.length;
    const patterns: string[] = [];
    for (const entry of entries) {
      for (const reading of entryReadings(entry) ?? []) {
        patterns.push(reading);
        if (reading !== entry && !this.#written.has(reading)) this.#written.set(reading, entry);
      }
    }
    this.#patterns = new NamePatterns(patterns);
  }

  /** The entry that matches a scope, `null` for none; `undefined` where the scope cannot be judged. */
  match(scope: string): string | null | undefined {
    const readings = scopeReadings(scope);
    if (readings === null) return undefined;
    let found: string | null = null;
    for (const reading of readings) {
      const folder = withoutLastSlash(reading);
      let entry = this.#patterns.match(reading) ?? this.#patterns.match(folder);
      // Blocking everything in a folder blocks the folder.
      if (this.#side === 'block') entry ??= this.#patterns.match(`${folder}/`);
      if (entry !== null && this.#side === 'block') return this.#asWritten(entry);
      if (entry === null && this.#side === 'allow') return null;
      found ??= entry;
    }
    return found === null ? null : this.#asWritten(found);
  }

  #asWritten(entry: string): string {
    return this.#written.get(entry) ?? entry;
  }
}
