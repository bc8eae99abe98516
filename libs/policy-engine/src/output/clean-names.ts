/**
 * Number of member names that are remembered per profile, and their maximum length: a gateway holds 100,000 profiles.
 */
const MOST = 128;
const LONGEST = 64;

/**
 * Member names in which one profile's output rules found nothing. Payloads of one kind repeat their names, so most are
 * read once. Cleared when full.
 */
export class CleanNames {
  readonly #names = new Set<string>();

  has(name: string): boolean {
    return this.#names.has(name);
  }

  add(name: string): void {
    if (name.length > LONGEST) return;
    if (this.#names.size === MOST) this.#names.clear();
    this.#names.add(name);
  }
}
